"""Reflect with a language model."""

from collections.abc import Iterator

import pytest
from django.test import override_settings

from banks.models import MemoryUnit
from providers import registry
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.factories import make_key_with_text
from tests.live_server import wait_until
from tests.llm_server import ScriptedLLM
from tests.mcp.conftest import Connect
from tests.mcp.connection import ToolFailed
from tests.mcp.raw import WITH_HANDSHAKE, WITHOUT, hang_up
from tests.reflection.reflect.answers import opinion, write
from tests.retrieval.memory import Memory

QUESTION = "Where does Alice live, Lisbon?"


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        with override_settings(LLM_BASE_URL=server.url, LLM_MODEL="scripted", LLM_MAX_RETRIES=0):
            registry.LANGUAGE_MODELS.reset()
            yield server
        registry.LANGUAGE_MODELS.reset()


def test_an_answer_cites_memories_and_forms_opinions(
    memory: Memory, alice: Tenant, connected: Connect, model: ScriptedLLM
) -> None:
    fact = memory.unit("Alice moved to Lisbon")
    believed = opinion("I think Lisbon suits Alice.", [1], 0.8)
    model.chat.say(write("In Lisbon [1].", opinions=[believed], structured_output={"city": "Lisbon"}))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    told = connected(alice, bank="support").call("reflect", query=QUESTION, response_schema=schema)
    assert (told["text"], told["engine"]) == ("In Lisbon [1].", "llm")
    assert told["citations"] == [{"mark": "[1]", "memory_id": str(fact.id), "type": "world"}]
    assert [(one["text"], one["confidence"], one["outcome"]) for one in told["opinions"]] == [
        ("I think Lisbon suits Alice.", 0.8, "formed")
    ]
    assert told["structured_output"] == {"city": "Lisbon"}
    with tenant_transaction(alice.id):
        assert UsageRecord.objects.for_tenant(alice.id).filter(kind="reflect").exists()


def test_a_failing_model_is_reported(memory: Memory, alice: Tenant, connected: Connect, model: ScriptedLLM) -> None:
    memory.unit("Alice moved to Lisbon")
    with pytest.raises(ToolFailed) as failed:
        connected(alice, bank="support").call("reflect", query=QUESTION)
    assert failed.value.code == "model_failed"


@pytest.mark.parametrize("version", [WITH_HANDSHAKE, WITHOUT])
def test_an_abandoned_answer_forms_no_opinion(
    memory: Memory, alice: Tenant, base_url: str, model: ScriptedLLM, version: str
) -> None:
    memory.unit("Alice moved to Lisbon")
    text = "In Lisbon [1]. " + "She likes it there. " * 150  # takes 12 s, unless the client disconnects
    model.chat.say_slowly(write(text, opinions=[opinion("I think Lisbon suits Alice.", [1], 0.8)]), trickle=0.02)
    key = make_key_with_text(alice)[1]
    asked = {"query": QUESTION}
    hang_up(
        f"{base_url}/mcp/support/?tools=native",
        key,
        "reflect",
        asked,
        version=version,
        when=lambda: model.chat.received,
    )
    wait_until(lambda: count(alice, "reflect"))
    with tenant_transaction(alice.id):
        assert not MemoryUnit.objects.for_tenant(alice.id).filter(network="opinion").exists()


def count(tenant: Tenant, kind: str) -> int:
    """The tokens of an answer are recorded even if the client has disconnected."""
    with tenant_transaction(tenant.id):
        return UsageRecord.objects.for_tenant(tenant.id).filter(kind=kind).count()
