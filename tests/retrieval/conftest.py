import pytest

from banks.models import Bank
from benchmarks.serial_executor import SerialExecutor
from providers.reranking.none import NoReranker
from retrieval.recall import RecallTools
from tenants.models import Tenant
from tests.factories import make_bank, make_tenant
from tests.llm_server.fixture import llm_server
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory

__all__ = ["llm_server"]


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


@pytest.fixture
def memory(bank: Bank) -> Memory:
    return Memory(bank)


@pytest.fixture
def tools() -> RecallTools:
    """Serial: a thread can't see the rows of a test's transaction."""
    return RecallTools(WordEmbedder(), NoReranker(), executor=SerialExecutor())
