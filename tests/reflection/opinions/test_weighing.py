"""New facts move the opinions that they are evidence for: once, in order, and within bounds."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError
from django.utils import timezone

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit
from banks.lifecycle.deleting import delete_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, UnitSource
from banks.types import Source
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions import candidate_pairs, weighing
from reflection.opinions.candidate_pairs import plan_weighing, read_questions
from reflection.opinions.verdicts import Assessments, OpinionQuestion
from reflection.opinions.weighing import ROUNDS, Tools, reinforce_opinions
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_message
from tests.reflection.opinions.believing import (
    NOON,
    Said,
    believe,
    check_replay,
    learn,
    list_causes,
    read_opinion,
    read_opinions,
    read_steps,
    see,
)

GOOD = "Python has the largest ecosystem for machine learning."
BAD = "Julia outruns Python in numerical work."
OPINION = "I think Python is the best general-purpose language for data science."
QUALIFIED = "I think Python is good for data science but has trade-offs."


@pytest.fixture
def opinion_id(bank: Bank) -> UUID:
    return believe(bank, OPINION, see(bank, "Most notebooks are written in Python.", "Python")).id


def ask(bank: Bank, *fact_ids: UUID) -> list[tuple[UUID, list[UUID]]]:
    with tenant_transaction(bank.tenant_id):
        questions = read_questions(bank, plan_weighing(bank, fact_ids, most=100).pairs)
    return [(one.opinion_id, [fact.id for fact in one.facts]) for one in questions]


def test_confidence_and_text_follow_the_evidence(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")
    assert learn(bank, Said({GOOD: "reinforce"}), good).moved == 1
    assert read_opinion(bank, opinion_id).confidence == 0.85
    bad = see(bank, BAD, "Python")
    learn(bank, Said({BAD: "contradict"}, texts={BAD: QUALIFIED}), bad)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.confidence, opinion.text) == (0.55, QUALIFIED)
    steps = read_steps(bank, opinion_id)
    assert [(step.cause, step.evidence_id, step.step) for step in steps[1:]] == [
        ("reinforce", good, 0.15),
        ("contradict", bad, 0.15),
    ]
    assert steps[2].reasoning == f"as {BAD} shows"
    check_replay(bank, opinion_id)


def test_a_reversed_opinion_begins_with_the_evidence(bank: Bank, opinion_id: UUID) -> None:
    """Two facts against it: even odds and two steps, whatever the former confidence was."""
    facts = see(bank, BAD, "Python"), see(bank, GOOD, "Python")
    said = Said({BAD: "contradict", GOOD: "contradict"}, texts={GOOD: "I think Python is slow."}, is_reversed=True)
    learn(bank, said, *facts)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == ("I think Python is slow.", 0.8)
    steps = read_steps(bank, opinion_id)
    assert [(step.cause, step.confidence_after) for step in steps[1:]] == [("contradict", 0.4), ("revised", 0.8)]
    check_replay(bank, opinion_id)
    assert learn(bank, said, *facts).moved == 0


def test_the_question_shows_the_held_confidence_and_its_reasoning(bank: Bank, opinion_id: UUID) -> None:
    said = Said({})
    learn(bank, said, see(bank, GOOD, "Python"))
    [asked] = said.asked
    with tenant_transaction(bank.tenant_id):
        formed = OpinionRevision.objects.of_bank(bank).get(opinion_id=opinion_id, number=1)
    assert (asked.confidence, asked.reasoning) == (0.7, formed.reasoning)
    assert "opinion 1, held with confidence 0.70:" in list(asked.render(1))


def test_the_same_evidence_moves_once_however_often_it_is_brought(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")
    said = Said({GOOD: "reinforce"})
    assert [learn(bank, said, good, good).moved, learn(bank, said, good).moved] == [1, 0]
    assert len(said.asked) == 1
    assert read_opinion(bank, opinion_id).confidence == 0.85


MONDAY, TUESDAY = NOON, NOON + timedelta(days=1)


@pytest.mark.parametrize(
    ("first", "then", "moves"),
    [
        ({"tags": ("user:ann",)}, {"tags": ("user:bob",)}, 0),
        ({}, {"network": Network.EXPERIENCE}, 0),
        ({}, {"occurred_start": MONDAY}, 0),
        ({"occurred_start": MONDAY}, {"tags": ("user:bob",)}, 0),
        ({"occurred_start": MONDAY}, {"occurred_start": MONDAY, "tags": ("user:bob",)}, 0),
        ({"occurred_start": MONDAY}, {"occurred_start": TUESDAY}, 1),
    ],
)
def test_the_same_evidence_as_another_memory_does_not_move_it(
    bank: Bank, opinion_id: UUID, first: dict[str, Any], then: dict[str, Any], moves: int
) -> None:
    """The same event on another day is new evidence."""
    facts = [see(bank, GOOD, "Python", **fields) for fields in (first, then)]
    said = Said({GOOD: "reinforce"})
    assert len(set(facts)) == 2
    assert [learn(bank, said, *facts).moved, learn(bank, said, *facts).moved] == [1 + moves, 0]
    assert [step.evidence_id for step in read_steps(bank, opinion_id)[1:]] == facts[: 1 + moves]


def test_a_fact_that_is_true_again_moves_it_again(bank: Bank, opinion_id: UUID) -> None:
    said = Said({GOOD: "reinforce"})
    first = see(bank, GOOD, "Python")
    learn(bank, said, first)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        invalidate_unit(bank, read_opinion(bank, first), Invalidation("update", actor="test"))
    assert learn(bank, said, see(bank, GOOD, "Python", mentioned_at=timezone.now())).moved == 1


def test_the_database_refuses_the_same_evidence_too(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")
    learn(bank, Said({GOOD: "reinforce"}), good)
    again = {"number": 3, "cause": "weaken", "confidence_before": 0.8, "confidence_after": 0.7, "text_after": "x"}
    with pytest.raises(IntegrityError), tenant_transaction(bank.tenant_id):
        OpinionRevision.objects.for_tenant(bank.tenant_id).create(
            bank=bank, opinion_id=opinion_id, evidence_id=good, **again
        )


def test_evidence_that_it_was_formed_on_does_not_move_it_again(bank: Bank) -> None:
    fact = see(bank, GOOD, "Python")
    believe(bank, OPINION, fact)
    assert ask(bank, fact) == []


def test_a_shared_entity_or_nearness_makes_a_candidate(bank: Bank, opinion_id: UUID) -> None:
    named = see(bank, "Monty Python toured Norway.", "Python")
    near = see(bank, "For data science, Python is the best language.")
    far = see(bank, "Ana bakes bread on Sundays.", "Ana")
    assert ask(bank, named, near, far) == [(opinion_id, [named, near])]


def test_the_reach_is_the_banks(bank: Bank, opinion_id: UUID) -> None:
    near = see(bank, "For data science, python is the best language.")
    bank.opinion_reach = 0.999
    assert ask(bank, near) == []
    bank.opinion_reach = 0.5
    assert ask(bank, near) == [(opinion_id, [near])]


@pytest.mark.parametrize("network", [Network.OPINION, Network.OBSERVATION])
def test_beliefs_and_summaries_are_no_evidence(bank: Bank, opinion_id: UUID, network: Network) -> None:
    confidence = 0.5 if network is Network.OPINION else None
    assert ask(bank, see(bank, GOOD, "Python", network=network, confidence=confidence)) == []


def test_the_agents_own_statements_are_no_evidence_for_its_opinions(
    tenant: Tenant, bank: Bank, opinion_id: UUID
) -> None:
    message = make_message(tenant, bank=bank, role="assistant", content=GOOD)
    heard = make_message(tenant, bank=bank, role="user", content=BAD)
    told = see(bank, GOOD, "Python", sources=[Source(0, 5, message_id=message.id)])
    done = see(bank, "I compared Python.", "Python", sources=[Source(0, 5, message.id)], network=Network.EXPERIENCE)
    said = see(bank, BAD, "Python", sources=[Source(0, 5, message_id=heard.id)])
    assert ask(bank, told, done, said) == [(opinion_id, [done, said])]


def test_facts_of_the_opinions_own_message_are_no_new_evidence(tenant: Tenant, bank: Bank) -> None:
    message = make_message(tenant, bank=bank, content="both")
    source = Source(0, 4, message_id=message.id)
    see(bank, OPINION, "Python", network=Network.OPINION, confidence=0.7, sources=[source])
    assert ask(bank, see(bank, GOOD, "Python", sources=[source])) == []


def test_pinned_and_retired_ones_are_not_moved(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")
    for fields in ({"review": "pinned"}, {"expired_at": timezone.now(), "close_reason": "update", "review": "retired"}):
        with tenant_transaction(bank.tenant_id):
            MemoryUnit.objects.of_bank(bank).filter(id=opinion_id).update(**fields)
        assert ask(bank, good) == []


def test_one_that_was_pinned_while_it_was_weighed_is_not_moved(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")

    class Pinning(Said):
        def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
            with tenant_transaction(bank.tenant_id):
                MemoryUnit.objects.of_bank(bank).filter(id=opinion_id).update(review="pinned")
            return super().assess(questions)

    assert learn(bank, Pinning({GOOD: "reinforce"}), good).moved == 0
    assert read_opinion(bank, opinion_id).confidence == 0.7


def test_an_opinion_that_was_reworded_during_the_call_is_assessed_again(bank: Bank, opinion_id: UUID) -> None:
    good, bad = see(bank, GOOD, "Python"), see(bank, BAD, "Python")

    class Meanwhile(Said):
        def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
            if not self.asked:
                learn(bank, Said({BAD: "contradict"}, texts={BAD: QUALIFIED}), bad)
            return super().assess(questions)

    said = Meanwhile({GOOD: "reinforce"})
    assert learn(bank, said, good).moved == 1
    assert [one.text for one in said.asked] == [OPINION, QUALIFIED]
    assert list_causes(bank, opinion_id) == ["formed", "contradict", "reinforce"]
    check_replay(bank, opinion_id)


def test_evidence_that_was_deleted_while_it_was_weighed_moves_nothing(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")

    class Deleting(Said):
        def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                delete_units(bank, {good})
            return super().assess(questions)

    assert learn(bank, Deleting({GOOD: "reinforce"}), good).moved == 0
    assert list_causes(bank, opinion_id) == ["formed"]


def test_steps_are_taken_in_the_order_of_arrival(bank: Bank, opinion_id: UUID) -> None:
    """From 0.7: up, up (to the maximum) and down twice gives 0.7; another order would give 0.85 or 1."""
    facts = [see(bank, f"Python news number {number}.", "Python") for number in range(3)]
    verdicts = {f"Python news number {n}.": v for n, v in enumerate(("reinforce", "contradict", "reinforce"))}
    with tenant_transaction(bank.tenant_id):
        for place, fact in enumerate(facts):
            late = timezone.now() - timedelta(hours=place)  # the last one was recorded first
            MemoryUnit.objects.of_bank(bank).filter(id=fact).update(recorded_at=late)
    learn(bank, Said(verdicts), *facts)
    assert [step.evidence_id for step in read_steps(bank, opinion_id)[1:]] == facts[::-1]
    assert read_opinion(bank, opinion_id).confidence == 0.7


def test_supporting_facts_become_evidence_and_contradicting_ones_do_not(bank: Bank, opinion_id: UUID) -> None:
    good, bad = see(bank, GOOD, "Python"), see(bank, BAD, "Python")
    learn(bank, Said({GOOD: "reinforce", BAD: "weaken"}), good, bad)
    with tenant_transaction(bank.tenant_id):
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, role="evidence")
        assert good in sources.values_list("other_unit_id", flat=True)
        assert bad not in sources.values_list("other_unit_id", flat=True)


def test_a_rewording_to_the_words_of_another_opinion_unites_the_two(bank: Bank, opinion_id: UUID) -> None:
    other = believe(bank, QUALIFIED, see(bank, "Python is slow in loops."), entities=("Ana",))
    bad = see(bank, BAD, "Python")
    learn(bank, Said({BAD: "contradict"}, texts={BAD: QUALIFIED}), bad)
    assert [one.id for one in read_opinions(bank)] == [other.id]
    assert read_opinion(bank, opinion_id).superseded_by_id == other.id
    assert list_causes(bank, opinion_id) == ["formed", "contradict"]


LANGUAGE = "the best general-purpose language for data science"


@pytest.mark.parametrize(
    "text", [f"Python is {LANGUAGE}, Julia for numbers.", f"I think Python is {LANGUAGE} until May 2025."]
)
def test_a_rewording_is_taken_as_the_model_wrote_it(bank: Bank, opinion_id: UUID, text: str) -> None:
    bad = see(bank, BAD, "Python")
    learn(bank, Said({BAD: "contradict"}, texts={BAD: text}), bad)
    opinion = read_opinion(bank, opinion_id)
    assert (opinion.text, opinion.confidence) == (text, 0.4)


def test_a_rewording_comes_with_the_fact_that_speaks_against_it(bank: Bank, opinion_id: UUID) -> None:
    facts = see(bank, BAD, "Python"), see(bank, GOOD, "Python")
    learn(bank, Said({BAD: "weaken", GOOD: "reinforce"}, texts={BAD: QUALIFIED}), *facts)
    assert [(step.cause, step.text_after) for step in read_steps(bank, opinion_id)[1:]] == [
        ("weaken", QUALIFIED),
        ("reinforce", QUALIFIED),
    ]
    check_replay(bank, opinion_id)


def test_every_fact_has_its_turn_before_any_has_another(bank: Bank) -> None:
    evidence = see(bank, "A thing was seen.", "Python")
    for number in range(candidate_pairs.A_TURN + 2):
        believe(bank, f"I think opinion {number} of {hex(number**9)} is about Python.", evidence)
    facts = [see(bank, GOOD, "Python"), see(bank, "A snake lay in the sun.", "Python")]
    with tenant_transaction(bank.tenant_id):
        plan = plan_weighing(bank, facts, most=100)
        first = plan_weighing(bank, facts, most=2 * candidate_pairs.A_TURN)
        told, held = candidate_pairs.read_facts(bank, facts), candidate_pairs.read_movable(bank)
    assert (len(plan.pairs), plan.left_out, first.left_out) == (2 * (candidate_pairs.A_TURN + 2), 0, 4)
    assert [sum(one.fact.id == fact for one in first.pairs) for fact in facts] == [candidate_pairs.A_TURN] * 2
    cosines = [round(float(told[one.fact.id][1] @ held[one.opinion_id]), 5) for one in first.pairs]
    assert cosines == sorted(cosines, reverse=True)


def test_pairs_beyond_one_step_are_assessed_in_further_steps(
    bank: Bank, opinion_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "MOST_PAIRS", 2)
    texts = [f"Python news number {number}." for number in range(5)]
    facts = [see(bank, text, "Python") for text in texts]
    said = Said(dict.fromkeys(texts, "weaken"))
    done = learn(bank, said, *facts)
    assert (done.weighed, done.moved, done.steps, done.calls, done.left_out) == (5, 5, 3, 3, 0)
    assert [len(one.facts) for one in said.asked] == [2, 2, 1]
    check_replay(bank, opinion_id)


def test_pairs_beyond_the_bound_on_steps_are_counted(
    bank: Bank, opinion_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "MOST_PAIRS", 2)
    monkeypatch.setattr(weighing, "MOST_STEPS", 2)
    facts = [see(bank, f"Python news number {number}.", "Python") for number in range(5)]
    done = learn(bank, Said({}), *facts)
    assert (done.weighed, done.steps, done.left_out) == (4, 2, 1)


def test_an_opinion_that_is_changed_again_and_again_is_given_up_and_counted(bank: Bank, opinion_id: UUID) -> None:
    good = see(bank, GOOD, "Python")

    class Restless(Said):
        def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
            with tenant_transaction(bank.tenant_id):
                MemoryUnit.objects.of_bank(bank).filter(id=opinion_id).update(text=f"{OPINION} {len(self.asked)}")
            return super().assess(questions)

    done = learn(bank, Restless({GOOD: "reinforce"}), good)
    assert (done.moved, done.steps, done.left_out) == (0, ROUNDS, 1)


def test_many_facts_on_one_opinion_are_cut_into_questions(
    bank: Bank, opinion_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_pairs, "MOST_FACTS", 2)
    facts = [see(bank, f"Python news number {number}.", "Python") for number in range(3)]
    assert [len(one) for _, one in ask(bank, *facts)] == [2, 1]


def test_without_candidates_no_model_is_asked(bank: Bank, opinion_id: UUID) -> None:
    said = Said({})
    tools = Tools(said, get_embedder(), lambda: tenant_transaction(bank.tenant_id))
    reinforced = reinforce_opinions(bank, [see(bank, "Ana bakes bread.", "Ana")], tools, now=timezone.now())
    assert (said.asked, reinforced.weighed, reinforced.usage.calls) == ([], 0, 0)


def test_a_batch_of_any_size_takes_the_same_number_of_statements(
    bank: Bank, opinion_id: UUID, django_assert_max_num_queries: Any
) -> None:
    facts = [see(bank, f"Python news number {number}.", "Python") for number in range(3)]
    with tenant_transaction(bank.tenant_id), django_assert_max_num_queries(15):
        assert read_questions(bank, plan_weighing(bank, facts, most=100).pairs)
