"""The pipeline as a whole, with a model that says what it was told to say."""

import pytest

from banks.models import Bank, MemoryUnit
from reflection.reflect.reflect import reflect
from reflection.reflect.tools import ReflectTools
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM
from tests.reflection.reflect.answers import ask, opinion, write
from tests.retrieval.memory import Memory

QUESTION = "Where does Alice live, Lisbon?"


def opinions_of(bank: Bank) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).filter(network="opinion"))


def test_a_low_budget_asks_the_model_once_and_forms_opinions_in_that_call(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    fact = memory.unit("Alice moved to Lisbon")
    formed = opinion("I think that Alice is happy in Lisbon because she chose it", [1], entities=["Alice"])
    server.chat.say(write("She lives in Lisbon [1].", in_memory=True, opinions=[formed]))
    result = reflect(memory.bank, ask(QUESTION), tools)
    assert len(server.chat.received) == 1
    assert (result.text, result.engine, result.model) == ("She lives in Lisbon [1].", "llm", "scripted")
    assert [(one.mark, one.id) for one in result.cited] == [("[1]", fact.id)]
    (stored,) = opinions_of(memory.bank)
    assert [(one.id, one.outcome, one.evidence_ids) for one in result.opinions] == [(stored.id, "formed", (fact.id,))]
    assert stored.confidence == pytest.approx(0.7)
    assert not result.not_in_memory


def test_a_citation_of_what_was_not_found_is_dropped_and_counted(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(write("In Lisbon [1, 99], they say [42]."))
    result = reflect(memory.bank, ask(QUESTION), tools)
    assert (result.text, result.dropped_citations) == ("In Lisbon [1], they say.", 2)


def test_prose_without_notes_is_an_answer_without_opinions(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say("In Lisbon [1].")
    result = reflect(memory.bank, ask(QUESTION), tools)
    assert (result.text, result.opinions, len(server.chat.received)) == ("In Lisbon [1].", (), 1)
    assert result.trace.notes == ("The model wrote no notes after its answer.",)
