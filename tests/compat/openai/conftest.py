"""The openai package against a live server on loopback, with a scripted language model behind it."""

from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest
from django.db import connections

from memoryplatform.embedded.redis import EmbeddedRedis
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, use_small_models, working
from tests.llm_server.fixture import llm
from tests.retrieval.memory import Memory

__all__ = ["llm"]
MakeClient = Callable[..., openai.OpenAI]


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    with serve() as url:
        yield url


@pytest.fixture(autouse=True)
def recall_log(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    return use_small_models(monkeypatch)


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Iterator[Tenant]:
    yield make_tenant("alice")
    connections.close_all()


@pytest.fixture
def make_client(base_url: str) -> Iterator[MakeClient]:
    made: list[openai.OpenAI] = []

    def make(tenant: Tenant, *, bank: str = "support", path: str = "/v1", **fields: Any) -> openai.OpenAI:
        headers = {"X-Bank-Id": bank} if bank else {}
        key = make_key_with_text(tenant, **fields)[1]
        made.append(openai.OpenAI(base_url=f"{base_url}{path}", api_key=key, default_headers=headers, max_retries=0))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(alice: Tenant, make_client: MakeClient) -> openai.OpenAI:
    return make_client(alice)


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    memory = Memory(make_bank(alice, bank_id="support", name="Nora"))
    memory.unit("Dana works at Acme in Lisbon")
    return memory


@pytest.fixture
def worker(alice: Tenant) -> Iterator[None]:
    with working():
        yield
