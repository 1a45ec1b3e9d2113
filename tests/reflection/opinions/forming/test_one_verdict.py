"""Of one matter one verdict is held: all that say the opposite of it give way, each with a step that says why."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from banks.entities.curation.merging import merge_entities
from banks.errors import MemoryState
from banks.lifecycle.close import close_units
from banks.lifecycle.closings import Closing
from banks.lifecycle.edit import UnitEdit, edit_unit
from banks.lifecycle.restore import restore_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitChange
from banks.words import Network
from providers.embedding.vector import Vector
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions.forming.adopting import Heard, adopt_opinions
from reflection.opinions.history.outside import note_outside_change
from reflection.opinions.review import Act, Review, review_opinion
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.reflection.opinions.believing import (
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
HATE = "I hate Python."


def hold_all(bank: Bank, *texts: str) -> list[UUID]:
    """Opinions that stand beside each other, each on a fact of its own."""
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
    """Retain heard the agent say it."""
    unit = see(bank, text, "Python", network=Network.OPINION, confidence=0.8)
    adopt(bank, Heard((unit,)))
    return unit


def adopt(bank: Bank, heard: Heard) -> None:
    write = partial(tenant_transaction, bank.tenant_id)
    adopt_opinions(bank, heard, embedder=get_embedder(), write=write, now=timezone.now())


def form(bank: Bank, text: str) -> UUID:
    """An answer formed it."""
    fact = see(bank, "A Python release broke the build.", "Python")
    believe(bank, text, fact, confidence=0.8)
    return fact


@pytest.mark.parametrize("tell", [form, say])
@pytest.mark.parametrize(
    "text", [HATE, "Previously I thought that Python is a gem, but now I think that Python is awful."]
)
def test_the_opposite_of_several_turns_one_of_them_round_and_the_others_give_way(
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
def test_said_again_what_opposes_it_gives_way(bank: Bank, tell: Callable[[Bank, str], UUID]) -> None:
    (love,) = hold_all(bank, LOVE)
    hate = put_beside(bank, HATE)
    tell(bank, "I think that I love Python.")
    assert [one.id for one in read_opinions(bank)] == [love]
    assert (read_opinion(bank, hate).superseded_by_id, list_causes(bank, hate)) == (love, ["formed", "contradict"])
    assert "revised" not in list_causes(bank, love)
    check_replay(bank, hate)


def put_beside(bank: Bank, text: str) -> UUID:
    """As an import or an older version left it: nothing looked whether it opposes what is held."""
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


def test_an_approved_one_gives_way_as_any_other(bank: Bank) -> None:
    held = hold_all(bank, LOVE, GREAT)
    for opinion_id in held:
        review(bank, opinion_id, Act.APPROVE)
    form(bank, HATE)
    (standing,) = read_opinions(bank)
    assert (standing.text, standing.review) == (HATE, "")
    for opinion_id in held:
        check_replay(bank, opinion_id)


def test_a_retired_one_does_not_give_way(bank: Bank) -> None:
    love, great = hold_all(bank, LOVE, GREAT)
    review(bank, great, Act.RETIRE)
    form(bank, HATE)
    assert (read_opinion(bank, great).review, list_causes(bank, great)) == ("retired", ["formed", "retired"])
    assert [one.id for one in read_opinions(bank)] == [love]


def restore_outside(bank: Bank, opinion_id: UUID) -> None:
    """At the memories' own address."""
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = read_opinion(bank, opinion_id)
        restore_unit(bank, unit, actor="lea")
        note_outside_change(bank, unit, actor="lea")


@pytest.mark.parametrize("restore", [partial(review, act=Act.RESTORE), restore_outside])
def test_what_opposes_a_restored_one_gives_way_unless_it_is_pinned(
    bank: Bank, restore: Callable[[Bank, UUID], None]
) -> None:
    (love,) = hold_all(bank, LOVE)
    review(bank, love, Act.RETIRE)
    (hate,) = hold_all(bank, HATE)
    review(bank, hate, Act.PIN)
    with pytest.raises(MemoryState, match=str(hate)):
        restore(bank, love)
    assert [one.id for one in read_opinions(bank)] == [hate]
    review(bank, hate, Act.UNPIN)
    restore(bank, love)
    assert [(one.id, one.review) for one in read_opinions(bank)] == [(love, "")]
    step = read_steps(bank, hate)[-1]
    assert (read_opinion(bank, hate).superseded_by_id, step.cause, step.actor) == (love, "revised", "lea")
    assert LOVE in step.reasoning
    check_replay(bank, love)
    check_replay(bank, hate)


@pytest.mark.parametrize("text", [HATE, "I think Python belongs into a museum."])
def test_what_had_given_way_is_restored_with_a_step_and_against_no_pinned_one(bank: Bank, text: str) -> None:
    """Also where a model took the two to exclude each other, and not their words."""
    (love,) = hold_all(bank, LOVE)
    review(bank, love, Act.APPROVE)
    other = see(bank, text, "Python", network=Network.OPINION, confidence=0.8, tags=["user:bob"])
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(love, other, timezone.now())], now=timezone.now(), actor="test")
    adopt(bank, Heard((other,), closed=(love,)))
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


def edit(bank: Bank, opinion_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        given = Review(Act.EDIT, "lea", "sure", HATE)
        review_opinion(bank, read_opinion(bank, opinion_id), given, vector=embed(HATE))


def edit_outside(bank: Bank, opinion_id: UUID) -> None:
    """At the memories' own address."""
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = read_opinion(bank, opinion_id)
        edit_unit(bank, unit, UnitEdit(text=HATE), vector=embed(HATE), actor="lea", reason="sure")
        note_outside_change(bank, unit, actor="lea", reason="sure")


def embed(text: str) -> Vector:
    return get_embedder().embed_documents([text]).vectors[0]


@pytest.mark.parametrize("about", ["Python", "Java"])
@pytest.mark.parametrize("write", [edit, edit_outside])
def test_what_opposes_the_words_of_a_person_gives_way_unless_it_is_pinned(
    bank: Bank, write: Callable[[Bank, UUID], None], about: str
) -> None:
    (love,) = hold_all(bank, LOVE)
    written = believe(bank, f"I think {about} is slow.", see(bank, f"{about} took an hour.", about)).id
    review(bank, love, Act.PIN)
    with pytest.raises(MemoryState, match=str(love)):
        write(bank, written)
    assert len(read_opinions(bank)) == 2
    review(bank, love, Act.UNPIN)
    write(bank, written)
    assert [one.id for one in read_opinions(bank)] == [written]
    step = read_steps(bank, love)[-1]
    assert (read_opinion(bank, love).superseded_by_id, step.cause, step.actor) == (written, "revised", "lea")
    assert step.reasoning == f"A person wrote the opposite: {HATE}"
    for opinion_id in (love, written):
        check_replay(bank, opinion_id)


@pytest.mark.parametrize("tell", [form, say])
def test_of_one_who_has_two_names_one_verdict_is_held(bank: Bank, tell: Callable[..., UUID]) -> None:
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


def test_what_it_rests_on_already_closes_an_opinion_without_moving_it(bank: Bank) -> None:
    fact = see(bank, "Python lets everybody write macros.", "Python")
    held = [believe(bank, text, fact).id for text in (LOVE, GREAT)]
    believe(bank, HATE, fact)
    (standing,) = read_opinions(bank)
    (other,) = set(held) - {standing.id}
    assert (read_opinion(bank, other).confidence, list_causes(bank, other)) == (0.7, ["formed", "revised"])
    check_replay(bank, other)


def test_when_the_reason_to_think_otherwise_is_deleted_the_verdict_is_what_it_was(bank: Bank) -> None:
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
    texts = [LOVE, HATE, GREAT, "I think Python is awful."]
    facts = [see(bank, f"Python was spoken of in week {week}.", "Python") for week in range(len(texts))]
    at_once = Barrier(len(texts), timeout=60)

    def form_one(place: int) -> None:
        try:
            at_once.wait()
            believe(bank, texts[place], facts[place])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(form_one, range(len(texts))))
    held = [one.text for one in read_opinions(bank)]
    assert held[0] == "I think Python is reliable."
    assert set(held[1:]) <= {LOVE, GREAT} or set(held[1:]) <= {HATE, texts[3]}
    with tenant_transaction(bank.tenant_id):
        steps = OpinionRevision.objects.of_bank(bank).filter(cause__in=["formed", "revised"])
        assert set(steps.values_list("text_after", flat=True)) >= set(texts)
        opinions = MemoryUnit.objects.of_bank(bank).filter(network="opinion").values_list("id", flat=True)
    for opinion_id in opinions:
        check_replay(bank, opinion_id)
