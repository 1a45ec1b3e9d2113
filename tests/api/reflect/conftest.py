from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import override_settings

from banks.models import Bank
from benchmarks.serial_executor import SerialExecutor
from memoryplatform.operations import reflect as use_case
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from reflection.reflect import tools
from retrieval import threads
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.llm_server import ScriptedLLM
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serial: a thread can't see the rows of a test's transaction."""
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(use_case, "get_reranker", NoReranker)
    monkeypatch.setattr(threads, "EXECUTOR", Once(SerialExecutor))
    monkeypatch.setattr(tools, "EXECUTOR", Once(SerialExecutor))


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    """A log of this test only, written when the test asks for it."""
    fresh = RecallLog()
    monkeypatch.setattr(use_case, "RECALL_LOG", fresh)
    return fresh


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        with override_settings(LLM_BASE_URL=server.url, LLM_MODEL="scripted", LLM_MAX_RETRIES=0):
            registry.LANGUAGE_MODELS.reset()
            yield server
        registry.LANGUAGE_MODELS.reset()


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support", name="Nora")


@pytest.fixture
def memory(bank: Bank) -> Memory:
    return Memory(bank)


@pytest.fixture
def ask(call: Caller, bank: Bank) -> Ask:
    def ask(query: str, headers: dict[str, str] | None = None, **fields: Any) -> Any:
        return call("POST", f"/v1/banks/{bank.bank_id}/reflect", {"query": query, **fields}, **headers or {})

    return ask
