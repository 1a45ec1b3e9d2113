from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from banks.models import Bank
from benchmarks.serial_executor import SerialExecutor
from providers.endpoint.limits import EndpointConfig
from providers.llm.openai import OpenAILLM
from providers.reranking.none import NoReranker
from reflection.reflect.tools import ReflectTools
from retrieval.recall import RecallTools
from rules.extractive_answer import write_extractive_answer
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.llm_server import ScriptedLLM
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant, name="Nora")


@pytest.fixture
def memory(bank: Bank) -> Memory:
    return Memory(bank)


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def builtin(tenant: Tenant) -> ReflectTools:
    """Tools without a model. Serial: a thread can't see the rows of a test's transaction."""
    recall = RecallTools(WordEmbedder(), NoReranker(), executor=SerialExecutor())
    write = partial(tenant_transaction, tenant.id)
    return ReflectTools(recall, None, write, "test", SerialExecutor(), answer_writer=write_extractive_answer)


@pytest.fixture
def tools(builtin: ReflectTools, server: ScriptedLLM) -> ReflectTools:
    config = EndpointConfig(base_url=server.url, api_key=None, timeout_seconds=20.0, max_retries=0, max_concurrency=4)
    llm = OpenAILLM(config, model="scripted")
    return replace(builtin, llm=llm)
