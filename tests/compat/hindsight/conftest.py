"""The peer's published client against a live server on loopback."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
import uvicorn
from hindsight_client import Hindsight

from memoryplatform.asgi import application
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations import recall as recall_use_case
from memoryplatform.operations import reflect as reflect_use_case
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory

Loop = asyncio.AbstractEventLoop
Run = Callable[[Coroutine[Any, Any, Any]], Any]
MakeClient = Callable[..., Hindsight]


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
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=30)


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    for use_case in (recall_use_case, reflect_use_case):
        monkeypatch.setattr(use_case, "RECALL_LOG", RecallLog())


@pytest.fixture
def loop() -> Iterator[Loop]:
    """The client's plain methods run on the thread's loop, and its low-level ones are coroutines."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield loop
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def run(loop: Loop) -> Run:
    return loop.run_until_complete


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def make_client(base_url: str, loop: Loop) -> Iterator[MakeClient]:
    made: list[Hindsight] = []

    def make(tenant: Tenant, **fields: Any) -> Hindsight:
        made.append(Hindsight(base_url=base_url, api_key=make_key_with_text(tenant, **fields)[1], max_attempts=1))
        return made[-1]

    yield make
    for client in made:
        loop.run_until_complete(client.aclose())  # type: ignore[no-untyped-call]  # theirs


@pytest.fixture
def client(alice: Tenant, make_client: MakeClient) -> Hindsight:
    return make_client(alice)


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    return Memory(make_bank(alice, bank_id="support"))
