"""Reversals: a new opinion retires all opposite ones, each with a revision that names the reason."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from banks.curation.merging import merge_entities
from banks.enums import Network
from banks.errors import MemoryState
from banks.lifecycle.closing import Closing, close_units
from banks.lifecycle.closing_by_hand import restore_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitChange
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.adopting import RetainedUnits
from reflection.opinions.review import Act, Review, note_manual_change, review_opinion
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.reflection.opinions.believing import (
    Matched,
    adopt,
    believe,
    check_replay,
    list_causes,
    read_opinion,
    read_opinions,
    read_steps,
    see,
)
from tests.reflection.opinions.losing import delete, list_evidence, read_everything

LOVE, GREAT, GEM = "I love Python.", "I think Python is great.", "I think Python is a gem."
HATE, AWFUL = "I hate Python.", "I think Python is awful."
GAVE_UP = "Previously I thought that Python is a gem, but now I think that Python is awful."
MODEL = Matched(
    same=[(LOVE, "I think that I love Python."), (HATE, AWFUL)],
    opposite=[
        *((one, other) for one in (LOVE, GREAT, GEM) for other in (HATE, AWFUL, GAVE_UP)),
        (HATE, "I think that I love Python."),
        (GREAT, "I think Monty is awful."),
    ],
)


def hold_all(bank: Bank, *texts: str) -> list[UUID]:
    """Opinions that are held together, each on its own fact."""
    held = [
        believe(bank, text, see(bank, f"Python was praised {place} times.", "Python")).id
        for place, text in enumerate(texts)
    ]
    assert [one.id for one in read_opinions(bank)] == sorted(held)
    return held


def review(bank: Bank, opinion_id: UUID, act: Act) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, read_opinion(bank, opinion_id), Review(act, "lea", "sure"))


def say(bank: Bank, text: str) -> UUID:
    """The agent states the opinion in a retained message."""
    unit = see(bank, text, "Python", network=Network.OPINION, confidence=0.8)
    adopt(bank, RetainedUnits((unit,)), matcher=MODEL)
    return unit


def form(bank: Bank, text: str) -> UUID:
    """An answer forms the opinion."""
    fact = see(bank, "A Python release broke the build.", "Python")
    believe(bank, text, fact, confidence=0.8, matcher=MODEL)
    return fact


@pytest.mark.parametrize("tell", [form, say])
@pytest.mark.parametrize("text", [HATE, GAVE_UP])
def test_the_opposite_of_several_reverses_one_and_closes_the_others(
    bank: Bank, tell: Callable[[Bank, str], UUID], text: str
) -> None:
    held = hold_all(bank, LOVE, GREAT, GEM)
    came_from = tell(bank, text)
    (standing,) = read_opinions(bank)
    assert (standing.id in held, standing.confidence) == (True, 0.8)
    assert list_causes(bank, standing.id) == ["formed", "revised"]
    check_replay(bank, standing.id)
    for opinion_id in set(held) - {standing.id}:
        other, step = read_opinion(bank, opinion_id), read_steps(bank, opinion_id)[-1]
        assert (other.superseded_by_id, other.close_reason, other.confidence) == (standing.id, "update", 0.4)
        assert (step.cause, step.step, step.evidence_id) == ("contradict", 0.15, came_from)
        assert step.reasoning == f"The agent thinks otherwise by now: {standing.text}"
        check_replay(bank, opinion_id)
        with tenant_transaction(bank.tenant_id):
            changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id)
            assert [change.reason for change in changes] == ["The agent thinks otherwise by now."]


@pytest.mark.parametrize("tell", [form, say])
def test_a_restated_opinion_closes_its_opposites(bank: Bank, tell: Callable[[Bank, str], UUID]) -> None:
    (love,) = hold_all(bank, LOVE)
    hate = put_beside(bank, HATE)
    tell(bank, "I think that I love Python.")
    assert [one.id for one in read_opinions(bank)] == [love]
    assert (read_opinion(bank, hate).superseded_by_id, list_causes(bank, hate)) == (love, ["formed", "contradict"])
    assert "revised" not in list_causes(bank, love)
    check_replay(bank, hate)


def put_beside(bank: Bank, text: str) -> UUID:
    """Store the opinion without a check for opposites, as an import or an older version did."""
    return see(bank, text, "Python", network=Network.OPINION, confidence=0.7)


@pytest.mark.parametrize("tell", [form, say])
def test_a_pinned_one_stays_and_nothing_is_held_against_it(bank: Bank, tell: Callable[[Bank, str], UUID]) -> None:
    held = hold_all(bank, LOVE, GREAT, GEM)
    review(bank, held[1], Act.PIN)
    review(bank, held[2], Act.PIN)
    came_from = tell(bank, HATE)
    assert [one.text for one in read_opinions(bank)] == [LOVE, GREAT, GEM]
    assert [list_causes(bank, one) for one in held] == [
        ["formed"],
        ["formed", "pinned", "contradict"],
        ["formed", "pinned", "contradict"],
    ]
    step = read_steps(bank, held[1])[-1]
    assert (step.step, step.evidence_id, read_opinion(bank, held[1]).confidence) == (0.0, came_from, 0.7)


def test_an_approved_opinion_is_closed_like_any_other(bank: Bank) -> None:
    held = hold_all(bank, LOVE, GREAT)
    for opinion_id in held:
        review(bank, opinion_id, Act.APPROVE)
    form(bank, HATE)
    (standing,) = read_opinions(bank)
    assert (standing.text, standing.review) == (HATE, "")
    for opinion_id in held:
        check_replay(bank, opinion_id)


def test_a_retired_opinion_is_not_closed(bank: Bank) -> None:
    love, great = hold_all(bank, LOVE, GREAT)
    review(bank, great, Act.RETIRE)
    form(bank, HATE)
    assert (read_opinion(bank, great).review, list_causes(bank, great)) == ("retired", ["formed", "retired"])
    assert [one.id for one in read_opinions(bank)] == [love]


def restore_outside(bank: Bank, opinion_id: UUID) -> None:
    """Restore through the routes of memories."""
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = read_opinion(bank, opinion_id)
        restore_unit(bank, unit, actor="lea")
        note_manual_change(bank, unit, actor="lea")


@pytest.mark.parametrize("text", [HATE, "I think Python belongs into a museum."])
def test_a_closed_opposite_is_restored_with_a_revision_unless_its_successor_is_pinned(bank: Bank, text: str) -> None:
    """It also holds if a model, not the wording, decided that the two exclude each other."""
    (love,) = hold_all(bank, LOVE)
    review(bank, love, Act.APPROVE)
    other = see(bank, text, "Python", network=Network.OPINION, confidence=0.8, tags=["user:bob"])
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(love, other, timezone.now())], now=timezone.now(), actor="test")
    adopt(bank, RetainedUnits((other,), superseded=(love,)), matcher=MODEL)
    review(bank, other, Act.PIN)
    with pytest.raises(MemoryState, match=str(other)):
        restore_outside(bank, love)
    assert [one.id for one in read_opinions(bank)] == [other]
    review(bank, other, Act.UNPIN)
    for _ in range(2):
        restore_outside(bank, love)
        assert [(one.id, one.review) for one in read_opinions(bank)] == [(love, "approved")]
        assert (list_causes(bank, other)[-1], read_opinion(bank, other).superseded_by_id) == ("revised", love)
        check_replay(bank, other)
        assert list_causes(bank, love)[-1] == "restored"
        check_replay(bank, love)
        restore_outside(bank, other)
        assert [one.id for one in read_opinions(bank)] == [other]


@pytest.mark.parametrize("tell", [form, say])
def test_about_an_entity_with_two_names_one_of_two_opposites_is_held(bank: Bank, tell: Callable[..., UUID]) -> None:
    (love,) = hold_all(bank, GREAT)
    see(bank, "Monty runs everywhere.", "Monty")
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        entities = Entity.objects.of_bank(bank)
        merge_entities(bank, entities.get(name="Python"), [entities.get(name="Monty").id])
    tell(bank, "I think Monty is awful.")
    assert [(one.id, one.text) for one in read_opinions(bank)] == [(love, "I think Monty is awful.")]


def test_other_sides_of_the_matter_stay(bank: Bank) -> None:
    texts = [LOVE, "I think Python is slow.", "I love Python's syntax.", "I hate Python's packaging."]
    love, *others = hold_all(bank, *texts)
    form(bank, HATE)
    assert {one.id: one.text for one in read_opinions(bank)} == {love: HATE} | dict(zip(others, texts[1:], strict=True))


def test_known_evidence_closes_an_opinion_without_moving_it(bank: Bank) -> None:
    fact = see(bank, "Python lets everybody write macros.", "Python")
    held = [believe(bank, text, fact).id for text in (LOVE, GREAT)]
    believe(bank, HATE, fact, matcher=MODEL)
    (standing,) = read_opinions(bank)
    (other,) = set(held) - {standing.id}
    assert (read_opinion(bank, other).confidence, list_causes(bank, other)) == (0.7, ["formed", "revised"])
    check_replay(bank, other)


def test_deleting_the_evidence_of_a_reversal_undoes_it(bank: Bank) -> None:
    held = hold_all(bank, LOVE, GREAT)
    broke = form(bank, HATE)
    delete(bank, broke)
    (standing,) = read_opinions(bank)
    assert standing.text in {LOVE, GREAT}
    (other,) = set(held) - {standing.id}
    assert (read_opinion(bank, other).confidence, list_evidence(bank, other)[-1]) == (0.7, ("withdrawn", []))
    assert "hate" not in read_everything(bank)
    for opinion_id in held:
        check_replay(bank, opinion_id)


def test_two_workers_at_once_leave_one_verdict_and_every_step(committed_db: None) -> None:
    bank = make_bank(make_tenant())
    hold_all(bank, "I think Python is reliable.")
    texts = [LOVE, HATE, GREAT, AWFUL]
    facts = [see(bank, f"Python was spoken of in week {week}.", "Python") for week in range(len(texts))]
    at_once = Barrier(len(texts), timeout=60)

    def form_one(place: int) -> None:
        try:
            at_once.wait()
            believe(bank, texts[place], facts[place], matcher=MODEL)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(form_one, range(len(texts))))
    held = [one.text for one in read_opinions(bank)]
    assert held[0] == "I think Python is reliable."
    assert set(held[1:]) <= {LOVE, GREAT} or set(held[1:]) <= {HATE, texts[3]}
    with tenant_transaction(bank.tenant_id):
        # A claim that says the same as a held opinion is a revision of that opinion, so every claim leaves a revision.
        assert OpinionRevision.objects.of_bank(bank).count() >= 1 + len(texts)
        used = RevisionEvidence.objects.of_bank(bank).filter(fact__in=facts).values_list("fact_id", flat=True)
        assert set(used) == set(facts)
        opinions = MemoryUnit.objects.of_bank(bank).filter(network="opinion").values_list("id", flat=True)
    for opinion_id in opinions:
        check_replay(bank, opinion_id)
