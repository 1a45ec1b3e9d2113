"""The service as its clients meet it: a web server on a free port, and a worker, on the tests' database."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

import dramatiq
import pytest
import uvicorn
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from memoryplatform.asgi import application
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.server.lifespan import WRITERS
from memoryplatform_client import AsyncMemoryClient, MemoryClient
from tests.conftest import empty_all_tables
from tests.factories import make_key_with_text, make_tenant
from tests.sdk.blocking import Blocking


@dataclass(frozen=True)
class Service:
    url: str
    key: str


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Uvicorn in a thread. It asks for no database before the first request comes."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, lifespan="off", ws="none", log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)


@pytest.fixture(scope="module")
def shared_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Commits are real. The wall between tenants keeps what one test leaves from the next; a module's end undoes it."""
    with django_db_blocker.unblock():
        yield
        empty_all_tables()
        connections.close_all()


@pytest.fixture
def service(server_url: str, shared_db: None, redis_server: EmbeddedRedis) -> Iterator[Service]:
    yield Service(server_url, make_key_with_text(make_tenant())[1])
    write_what_waits()


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, service: Service) -> Iterator[MemoryClient]:
    """Both clients, behind the one face that they share."""
    if request.param == "sync":
        with MemoryClient(service.url, service.key) as client:
            yield client
    else:
        with Blocking(AsyncMemoryClient(service.url, service.key)) as blocking:
            yield cast("MemoryClient", blocking)


@pytest.fixture
def worker(service: Service) -> Iterator[None]:
    """What takes up operations that the server does not wait for."""
    broker = dramatiq.get_broker()
    known = list(broker.middleware)
    worker = dramatiq.Worker(broker, worker_threads=1, worker_timeout=50)
    worker.start()
    yield
    worker.stop(timeout=20_000)
    broker.middleware[:] = known  # a worker leaves its own behind


def write_what_waits() -> None:
    """What the server's own threads do every second; nothing of one test may wait for the next."""
    for writer in WRITERS:
        writer.write()


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
