"""Plans that an LLM decides: the scripted server answers as a model would."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from banks.lifecycle.deciding.decide import plan_facts
from banks.lifecycle.deciding.plan import Plan
from banks.models import Bank, Entity
from banks.retain.engines.llm.engine import LLMEngine
from banks.retain.prepared import PreparedFact
from banks.retain.tools import Tools
from banks.retain.types import FoundEntity
from banks.words import EntityKind, Network
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import make_fact, store, units_of
from tests.banks.lifecycle.worded_embedder import WordedEmbedder, embed
from tests.banks.retain.engines.llm.factory import make_llm
from tests.factories import make_bank, make_tenant
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Received, Reply

ACME, GLOBEX = "Ana works at Acme.", "Ana works at Globex."


@pytest.fixture
def llm() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def plan(bank: Bank, llm: ScriptedLLM, *facts: PreparedFact) -> Plan:
    tools = Tools(LLMEngine(make_llm(llm)), WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    return plan_facts(bank, facts, tools, speakers=frozenset())


def answer(llm: ScriptedLLM, *, decisions: Any = (), answers: Any = ()) -> None:
    def respond(received: Received) -> Reply:
        is_about_names = "who or what is" in received.prompt
        return Reply(text=json.dumps({"answers": list(answers)} if is_about_names else {"decisions": list(decisions)}))

    llm.chat.otherwise = respond


def test_the_models_decision_closes_the_older(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    answer(llm, decisions=[{"fact": 1, "action": "INVALIDATE", "targets": [1], "reason": "update"}])
    made = plan(bank, llm, fact)
    store(bank, fact, plan=made)
    assert set(units_of(bank, expired_at=None)) == {GLOBEX}
    assert (made.judge, made.usage.calls) == ("a-model", 1)


def test_a_merged_text_is_embedded_before_the_write(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME))
    fact = make_fact("Ana works at Acme in Rome.")
    answer(
        llm, decisions=[{"fact": 1, "action": "MERGE", "targets": [1], "text": "Since May, Ana works at Acme in Rome."}]
    )
    made = plan(bank, llm, fact)
    store(bank, fact, plan=made)
    (unit,) = units_of(bank).values()
    assert unit.text == "Since May, Ana works at Acme in Rome."
    assert unit.embedding @ embed(unit.text) == pytest.approx(1.0, abs=1e-4)


def test_an_opinion_that_is_told_with_more_to_it_keeps_its_words(bank: Bank, llm: ScriptedLLM) -> None:
    told, fuller = "I think Dana is a good mechanic.", "I think Dana is a good mechanic in Rome."
    belief: dict[str, Any] = {"network": Network.OPINION, "confidence": 0.7}
    store(bank, make_fact(told, **belief))
    fact = make_fact(fuller, **belief)
    answer(llm, decisions=[{"fact": 1, "action": "MERGE", "targets": [1], "text": fuller}])
    store(bank, fact, plan=plan(bank, llm, fact))
    assert set(units_of(bank)) == {told, fuller}


@pytest.mark.parametrize("text", ["Ana works at Acme.", ""])
def test_a_merged_text_that_lost_a_name_is_not_taken(bank: Bank, llm: ScriptedLLM, text: str) -> None:
    store(bank, make_fact(ACME))
    fact = make_fact("Ana works at Acme in Rome.")
    answer(llm, decisions=[{"fact": 1, "action": "MERGE", "targets": [1], "text": text}])
    store(bank, fact, plan=plan(bank, llm, fact))
    assert set(units_of(bank)) == {ACME, "Ana works at Acme in Rome."}


def test_what_the_rules_are_sure_of_is_not_asked(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact("Ana has a dog named Rex."))
    fact = make_fact("Ana owns a dog called Rex.")
    store(bank, fact, plan=plan(bank, llm, fact))
    assert not llm.chat.received
    assert len(units_of(bank)) == 1


def test_no_transaction_is_open_while_the_model_thinks(committed_db: None, llm: ScriptedLLM) -> None:
    bank = make_bank(make_tenant("acme"))
    store(bank, make_fact(ACME))
    open_blocks: list[bool] = []
    engine = LLMEngine(make_llm(llm))
    judge = engine.judge.judge

    def watch(questions: Any) -> Any:
        open_blocks.append(connection.in_atomic_block)
        return judge(questions)

    engine.judge.judge = watch  # type: ignore[method-assign]  # to look at the connection from inside
    answer(llm)
    tools = Tools(engine, WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    plan_facts(bank, [make_fact(GLOBEX)], tools, speakers=frozenset())
    assert open_blocks == [False]


def name_somebody(bank: Bank, llm: ScriptedLLM, *, candidate: int | None) -> list[str]:
    """Two of the name are known; the rules can't say which of them "Chris" is."""
    for name, work in (("Chris Young", "paints houses in Rome"), ("Chris Stone", "sells boats in Porto")):
        store(bank, make_fact(f"{name} {work}.", entities=(FoundEntity(name, EntityKind.PERSON),)))
    fact = make_fact("Somebody saw Chris.", entities=(FoundEntity("Chris", EntityKind.PERSON),))
    answer(llm, answers=[{"question": 1, "candidate": candidate}])
    store(bank, fact, plan=plan(bank, llm, fact))
    with tenant_transaction(bank.tenant_id):
        return sorted(f"{row.name} {row.mention_count}" for row in Entity.objects.of_bank(bank))


def test_the_model_says_whom_an_ambiguous_name_means(bank: Bank, llm: ScriptedLLM) -> None:
    assert sorted(entry[-1] for entry in name_somebody(bank, llm, candidate=1)) == ["1", "2"]


def test_a_name_that_the_model_finds_in_none_is_somebody_new(bank: Bank, llm: ScriptedLLM) -> None:
    assert name_somebody(bank, llm, candidate=None) == ["Chris 1", "Chris Stone 1", "Chris Young 1"]
