"""Lifecycle decisions by an LLM, with a scripted server as the model."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from banks.enums import EntityKind, Kind, Network
from banks.facts import PreparedFact
from banks.lifecycle.decisions import Action
from banks.lifecycle.planning import Plan, Planners, plan_facts
from banks.models import Bank, Entity
from banks.retain.llm.engine import LLMEngine
from banks.types import Effect, FoundEntity, FoundRelationship
from rules.engine import BuiltinEngine
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import make_fact, store, units_of
from tests.banks.lifecycle.worded_embedder import WordedEmbedder, embed
from tests.banks.retain.llm.factory import make_llm
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
    return plan_facts(bank, facts, make_planners(make_engine(llm)), speakers=frozenset())


def make_engine(llm: ScriptedLLM) -> LLMEngine:
    return LLMEngine(make_llm(llm), quoting=BuiltinEngine())


def make_planners(engine: LLMEngine) -> Planners:
    return Planners(engine.judge, engine.identifier, WordedEmbedder())


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


def test_an_opinion_that_is_restated_with_additions_keeps_its_words(bank: Bank, llm: ScriptedLLM) -> None:
    told, fuller = "I think Dana is a good mechanic.", "I think Dana is a good mechanic in Rome."
    belief: dict[str, Any] = {"network": Network.OPINION, "confidence": 0.7}
    store(bank, make_fact(told, **belief))
    fact = make_fact(fuller, **belief)
    answer(llm, decisions=[{"fact": 1, "action": "MERGE", "targets": [1], "text": fuller}])
    store(bank, fact, plan=plan(bank, llm, fact))
    assert set(units_of(bank)) == {told, fuller}


def test_a_merge_without_a_text_adds_the_fact(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME))
    fact = make_fact("Ana works at Acme in Rome.")
    answer(llm, decisions=[{"fact": 1, "action": "MERGE", "targets": [1], "text": ""}])
    store(bank, fact, plan=plan(bank, llm, fact))
    assert set(units_of(bank)) == {ACME, "Ana works at Acme in Rome."}


def test_the_same_relation_of_the_same_subject_is_put_to_the_model_however_unlike_the_words(
    bank: Bank, llm: ScriptedLLM
) -> None:
    ana = (FoundEntity("Ana", EntityKind.PERSON), FoundEntity("Acme", EntityKind.ORGANIZATION))
    work = FoundRelationship("Ana", "works_at", "Acme", ACME)
    store(bank, make_fact(ACME, entities=ana, relationships=(work,), relationship_vectors=(embed(ACME),), said=2022))
    unlike = "My employer is Globex these days."
    told = FoundRelationship("Ana", "works_at", "Globex", GLOBEX)
    fact = make_fact(unlike, entities=ana, relationships=(told,), relationship_vectors=(embed(GLOBEX),))
    answer(llm, decisions=[{"fact": 1, "action": "INVALIDATE", "targets": [1], "reason": "update"}])
    store(bank, fact, plan=plan(bank, llm, fact))
    assert set(units_of(bank, expired_at=None)) == {unlike}


def test_a_change_in_the_future_schedules_the_end_of_the_older_fact(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME, said=2022))
    future = datetime(2090, 3, 1, tzinfo=UTC)
    fact = make_fact(GLOBEX, occurred_start=future, kind=Kind.EVENT)
    answer(llm, decisions=[{"fact": 1, "action": "INVALIDATE", "targets": [1], "reason": "update"}])
    store(bank, fact, plan=plan(bank, llm, fact))
    older = units_of(bank)[ACME]
    assert (older.valid_until, older.expired_at) == (future, None)
    assert set(units_of(bank, expired_at=None)) == {ACME, GLOBEX}


def test_no_transaction_is_open_while_the_model_thinks(committed_db: None, llm: ScriptedLLM) -> None:
    bank = make_bank(make_tenant("acme"))
    store(bank, make_fact(ACME))
    open_blocks: list[bool] = []
    engine = make_engine(llm)
    judge = engine.judge.judge

    def watch(questions: Any) -> Any:
        open_blocks.append(connection.in_atomic_block)
        return judge(questions)

    engine.judge.judge = watch  # type: ignore[method-assign]  # to inspect the connection during the call
    answer(llm)
    plan_facts(bank, [make_fact(GLOBEX)], make_planners(engine), speakers=frozenset())
    assert open_blocks == [False]


def name_somebody(bank: Bank, llm: ScriptedLLM, *, candidate: int | None) -> list[str]:
    """Two entities share the name "Chris", so the rules can't resolve it."""
    for name, work in (("Chris Young", "paints houses in Rome"), ("Chris Stone", "sells boats in Porto")):
        store(bank, make_fact(f"{name} {work}.", entities=(FoundEntity(name, EntityKind.PERSON),)))
    fact = make_fact("Somebody saw Chris.", entities=(FoundEntity("Chris", EntityKind.PERSON),))
    answer(llm, answers=[{"question": 1, "candidate": candidate}])
    store(bank, fact, plan=plan(bank, llm, fact))
    with tenant_transaction(bank.tenant_id):
        return sorted(f"{row.name} {row.mention_count}" for row in Entity.objects.of_bank(bank))


def test_the_model_resolves_an_ambiguous_name(bank: Bank, llm: ScriptedLLM) -> None:
    assert sorted(entry[-1] for entry in name_somebody(bank, llm, candidate=1)) == ["1", "2"]


def test_a_name_that_the_model_matches_with_no_candidate_is_a_new_entity(bank: Bank, llm: ScriptedLLM) -> None:
    assert name_somebody(bank, llm, candidate=None) == ["Chris 1", "Chris Stone 1", "Chris Young 1"]


def test_effects_that_the_model_named_need_no_further_question(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME, said=2022))
    acme = units_of(bank)[ACME]
    fact = make_fact(GLOBEX, said=2024)
    fact = replace(fact, fact=replace(fact.fact, effects=(Effect("ends", acme.id),)))
    made = plan_facts(bank, [fact], make_planners(make_engine(llm)), speakers=frozenset(), seen=frozenset({acme.id}))
    store(bank, fact, plan=made)
    assert set(units_of(bank, expired_at=None)) == {GLOBEX}
    assert (made.usage.calls, llm.chat.received) == (0, [])


def test_the_judge_is_asked_about_units_that_the_model_did_not_see(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME, said=2022))
    answer(llm, decisions=[{"fact": 1, "action": "UPDATE", "targets": [1], "reason": "changed"}])
    fact = make_fact(GLOBEX, said=2024)
    seen = frozenset({UUID(int=5)})
    made = plan_facts(bank, [fact], make_planners(make_engine(llm)), speakers=frozenset(), seen=seen)
    assert (made.decisions[0].action, made.usage.calls) == (Action.INVALIDATE, 1)


def test_a_fact_that_repeats_a_seen_unit_proves_it(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact(ACME, said=2022))
    acme = units_of(bank)[ACME]
    fact = make_fact("Ana is employed at Acme.", said=2024)
    fact = replace(fact, fact=replace(fact.fact, effects=(Effect("repeats", acme.id),)))
    made = plan_facts(bank, [fact], make_planners(make_engine(llm)), speakers=frozenset(), seen=frozenset({acme.id}))
    store(bank, fact, plan=made)
    (unit,) = units_of(bank).values()
    assert (unit.text, unit.proof_count) == (ACME, 2)


def test_a_merged_text_is_refused_if_the_judge_saw_facts_under_other_tags(bank: Bank, llm: ScriptedLLM) -> None:
    store(bank, make_fact("Ben takes citalopram.", tags=("ben",)))
    store(bank, make_fact("Ana takes citalopram, code 77.", tags=("ana",)))
    fact = make_fact("Ben takes citalopram daily.", tags=("ben",))
    text = "Ben takes citalopram daily, and Ana has the code 77."
    answer(llm, decisions=[{"fact": 1, "action": "MERGE", "targets": [1, 2], "text": text}])
    made = plan(bank, llm, fact)
    assert "code 77" in llm.chat.received[-1].prompt
    assert made.decisions[0].action is Action.ADD
