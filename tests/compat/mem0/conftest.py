"""mem0's published client against a live server on loopback, and a worker behind it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memoryplatform.embedded.redis import EmbeddedRedis
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.compat.mem0.quiet_client import MemoryClient
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, use_small_models, working
from tests.retrieval.memory import Memory

MakeClient = Callable[..., MemoryClient]


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    with serve() as url:
        yield url


@pytest.fixture(autouse=True)
def recall_log(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    return use_small_models(monkeypatch)


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
    """The memory of the user bob."""
    return Memory(make_bank(alice, bank_id="mem0:user:bob"))


@pytest.fixture
def worker(alice: Tenant) -> Iterator[None]:
    with working():
        yield
