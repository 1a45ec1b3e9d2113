from collections.abc import Callable
from typing import Any

import pytest

from banks.models import Bank
from benchmarks.serial_executor import SerialExecutor
from memoryplatform.operations import recall as use_case
from providers.once import Once
from providers.reranking.none import NoReranker
from retrieval import feedback, threads
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory

Ask = Callable[..., Any]


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> RecallLog:
    """A log of this test only, written when the test asks for it."""
    fresh = RecallLog()
    monkeypatch.setattr(use_case, "RECALL_LOG", fresh)
    monkeypatch.setattr(feedback, "RECALL_LOG", fresh)
    return fresh


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch, log: RecallLog) -> None:
    """Serial: a thread can't see the rows of a test's transaction."""
    monkeypatch.setattr(use_case, "get_embedder", WordEmbedder)
    monkeypatch.setattr(use_case, "get_reranker", NoReranker)
    monkeypatch.setattr(threads, "EXECUTOR", Once(SerialExecutor))


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


@pytest.fixture
def memory(bank: Bank) -> Memory:
    return Memory(bank)


@pytest.fixture
def ask(call: Caller, bank: Bank) -> Ask:
    def ask(query: str, **fields: Any) -> Any:
        return call("POST", f"/v1/banks/{bank.bank_id}/memories/recall", {"query": query, **fields})

    return ask
