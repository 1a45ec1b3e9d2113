"""A live service for the client: a web server on a free port and a worker, on the tests' database."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import pytest

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.server.lifespan import WRITERS
from memoryplatform_client import AsyncMemoryClient, MemoryClient
from tests.factories import make_key_with_text, make_tenant
from tests.live_server import serve, working
from tests.sdk.blocking import Blocking


@dataclass(frozen=True)
class Service:
    url: str
    key: str


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with serve() as url:
        yield url


@pytest.fixture
def service(server_url: str, shared_db: None, redis_server: EmbeddedRedis) -> Iterator[Service]:
    yield Service(server_url, make_key_with_text(make_tenant())[1])
    write_what_waits()


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, service: Service) -> Iterator[MemoryClient]:
    """Both clients, behind a common synchronous interface."""
    if request.param == "sync":
        with MemoryClient(service.url, service.key) as client:
            yield client
    else:
        with Blocking(AsyncMemoryClient(service.url, service.key)) as blocking:
            yield cast("MemoryClient", blocking)


@pytest.fixture
def worker(service: Service) -> Iterator[None]:
    with working():
        yield


def write_what_waits() -> None:
    """Flush the writers of the server's threads, so that no row of one test is written during the next."""
    for writer in WRITERS:
        writer.write()
