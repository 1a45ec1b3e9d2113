"""Hindsight's published client against a live server on loopback."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from hindsight_client import Hindsight

from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, use_small_models
from tests.llm_server.fixture import llm
from tests.retrieval.memory import Memory

__all__ = ["llm"]

Loop = asyncio.AbstractEventLoop
Run = Callable[[Coroutine[Any, Any, Any]], Any]
MakeClient = Callable[..., Hindsight]


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    with serve() as url:
        yield url


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_models(monkeypatch)


@pytest.fixture
def loop() -> Iterator[Loop]:
    """The client's high-level methods run on the thread's loop; its low-level ones are coroutines."""
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
