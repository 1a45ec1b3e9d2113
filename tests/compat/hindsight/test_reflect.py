"""Reflect, through Hindsight's client."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from banks.models import MemoryUnit
from providers import registry
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_key_with_text
from tests.llm_server import ScriptedLLM
from tests.reflection.reflect.answers import opinion, write
from tests.reflection.reflect.test_standing_answers import make_model
from tests.retrieval.memory import Memory


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


QUESTION = "Where does Alice live, Lisbon?"


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        with override_settings(LLM_BASE_URL=server.url, LLM_MODEL="scripted", LLM_MAX_RETRIES=0):
            registry.LANGUAGE_MODELS.reset()
            yield server
        registry.LANGUAGE_MODELS.reset()


def test_an_answer_includes_the_requested_parts(client: Hindsight, memory: Memory, model: ScriptedLLM) -> None:
    fact = memory.unit("Alice moved to Lisbon")
    for _ in range(3):
        model.chat.say(write("In Lisbon [1].", in_memory=True))
    plain = client.reflect("support", QUESTION)
    assert (plain.text, plain.based_on, plain.trace) == ("In Lisbon [1].", None, None)
    usage = plain.to_dict()["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > 0
    answer = client.reflect("support", QUESTION, include_facts=True, include_tool_calls=True, context="At work.")
    full = answer.to_dict()
    assert [(one["id"], one["type"]) for one in full["based_on"]["memories"]] == [(str(fact.id), "world")]
    assert (full["based_on"]["directives"], full["based_on"]["mental_models"]) == ([], [])
    assert [call["scope"] for call in full["trace"]["llm_calls"]] == ["answer"]
    assert str(fact.id) in full["trace"]["tool_calls"][0]["output"]["ids"]
    brief = client.reflect("support", QUESTION, include_tool_calls=True, include_tool_call_output=False).to_dict()
    assert brief["trace"]["tool_calls"][0].get("output") is None


def test_a_mental_model_is_read_unless_excluded(call: Caller, memory: Memory, model: ScriptedLLM) -> None:
    memory.unit("Alice moved to Lisbon")
    make_model(memory, source_query=QUESTION, content="Alice lives by the harbour.")
    shown = {}
    exclusions: dict[str, dict[str, Any]] = {
        "none": {},
        "all": {"exclude_mental_models": True},
        "this": {"exclude_mental_model_ids": ["food", "missing"]},
        "another": {"exclude_mental_model_ids": ["drinks"]},
    }
    for name, excluded in exclusions.items():
        model.chat.say(write("In Lisbon [1].", in_memory=True))
        body: dict[str, Any] = {"query": QUESTION, "include": {"facts": {}}, **excluded}
        answer = call("POST", "/v1/default/banks/support/reflect", body).json()
        prompt = model.chat.received[-1].body["messages"][-1]["content"]
        shown[name] = ([one["id"] for one in answer["based_on"]["mental_models"]], "by the harbour" in prompt)
    assert shown == {"none": (["food"], True), "all": ([], False), "this": ([], False), "another": (["food"], True)}


def test_structured_output_follows_the_schema(client: Hindsight, memory: Memory, model: ScriptedLLM) -> None:
    memory.unit("Alice moved to Lisbon")
    model.chat.say(write("In Lisbon.", structured_output={"city": "Lisbon"}))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    answer = client.reflect("support", QUESTION, response_schema=schema, max_tokens=500)
    assert (answer.structured_output, answer.structured_output_error) == ({"city": "Lisbon"}, None)


def test_nothing_is_stored_unless_it_is_asked_for(
    client: Hindsight, run: Run, memory: Memory, model: ScriptedLLM, alice: Tenant
) -> None:
    memory.unit("Alice moved to Lisbon")
    formed = opinion("I think that Alice likes Lisbon since she moved there", [1], entities=["Alice"])
    model.chat.say(write("In Lisbon [1].", in_memory=True, opinions=[formed]))
    client.reflect("support", QUESTION)
    with tenant_transaction(alice.id):
        assert not MemoryUnit.objects.for_tenant(alice.id).filter(network="opinion").exists()


def test_opinions_are_no_memories_to_the_peer(client: Hindsight, memory: Memory, model: ScriptedLLM) -> None:
    memory.unit("I think that Alice should live in Lisbon", network="opinion", confidence=0.8)
    memory.unit("Alice does live in Lisbon", network="observation")
    model.chat.say(write("In Lisbon [1] [2].", in_memory=True))
    answer = client.reflect("support", QUESTION, include_facts=True)
    assert [one["type"] for one in answer.to_dict()["based_on"]["memories"]] == ["observation"]


def test_without_a_model_memory_itself_answers(client: Hindsight, memory: Memory) -> None:
    memory.unit("Alice does live in Lisbon", days=3)
    assert "Lisbon" in client.reflect("support", QUESTION, budget="mid", fact_types=["world"], tags=["x"]).text


def test_a_missing_bank_is_made(client: Hindsight, run: Run, model: ScriptedLLM) -> None:
    model.chat.say(write("Unknown.", in_memory=False))
    assert client.reflect("new", QUESTION).text == "Unknown."
    assert [bank.bank_id for bank in run(client.banks.list_banks()).banks] == ["new"]


def test_a_schema_that_is_none_is_refused(client: Hindsight, memory: Memory) -> None:
    with pytest.raises(ApiException) as refused:
        client.reflect("support", QUESTION, response_schema={"type": "no such type"})
    assert refused.value.status == 422


def test_a_key_that_may_only_read_can_not_reflect(make_client: MakeClient, alice: Tenant, memory: Memory) -> None:
    with pytest.raises(ApiException) as refused:
        make_client(alice, scopes=["read"]).reflect("support", QUESTION)
    assert refused.value.status == 403


@pytest.mark.parametrize("most", [32_769, 10**30, "100000"])
def test_too_many_tokens_are_cut(alice: Tenant, memory: Memory, most: object) -> None:
    memory.unit("Bob has a boat")
    call = Caller(make_key_with_text(alice)[1])
    answer = call("POST", "/v1/default/banks/support/reflect", {"query": "Bob boat", "max_tokens": most})
    assert answer.status_code == 200, answer.content
