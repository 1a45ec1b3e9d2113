"""mem0's published client against a live server on loopback, and a worker behind it."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import dramatiq
import pytest
import uvicorn

from memoryplatform.asgi import application
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations import recall as recall_use_case
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.compat.mem0.quiet_client import FOLDER, MemoryClient
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory

MakeClient = Callable[..., MemoryClient]


@pytest.fixture(scope="session", autouse=True)
def mem0_folder(test_folder: None) -> Iterator[None]:
    yield
    shutil.rmtree(FOLDER)


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    """Uvicorn in a thread of this process, on the database of whichever test asks."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, lifespan="off", ws="none", log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)


@pytest.fixture(autouse=True)
def recall_log(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    """Small models, and a log that belongs to the test alone."""
    log = RecallLog()
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    monkeypatch.setattr(recall_use_case, "RECALL_LOG", log)
    return log


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def make_client(base_url: str) -> Iterator[MakeClient]:
    made: list[MemoryClient] = []

    def make(tenant: Tenant, **fields: Any) -> MemoryClient:
        made.append(MemoryClient(api_key=make_key_with_text(tenant, **fields)[1], host=base_url))
        return made[-1]

    yield make
    for client in made:
        client.client.close()


@pytest.fixture
def client(alice: Tenant, make_client: MakeClient) -> MemoryClient:
    return make_client(alice)


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    """Of the user bob."""
    return Memory(make_bank(alice, bank_id="mem0:user:bob"))


@pytest.fixture
def worker(alice: Tenant) -> Iterator[None]:
    """What takes up operations that the server does not wait for."""
    broker = dramatiq.get_broker()
    known = list(broker.middleware)
    worker = dramatiq.Worker(broker, worker_threads=1, worker_timeout=50)
    worker.start()
    yield
    worker.stop(timeout=20_000)
    broker.middleware[:] = known  # a worker leaves its own behind
