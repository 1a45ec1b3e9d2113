"""The bank "support" of a tenant, with a model that embeds words and no reranker."""

import pytest

from banks.models import Bank
from memoryplatform.operations import reflect as reflecting
from memoryplatform.operations.access import BankAccess
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.factories import make_bank
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    monkeypatch.setattr(reflecting, "RECALL_LOG", RecallLog())


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    bank = make_bank(tenant, bank_id="support")
    bank.tenant = tenant
    return bank


@pytest.fixture
def memory(bank: Bank) -> Memory:
    return Memory(bank)


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    return BankAccess(tenant.id)
