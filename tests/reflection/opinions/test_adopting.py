"""An agent's judgement in a retained message becomes an opinion with a history, exactly once."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from banks.enums import Network
from banks.lifecycle.closing import Closing, close_units
from banks.locking import lock_memory
from banks.models import Bank, UnitSource
from banks.types import Source
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.models import Opinion
from reflection.models.opinions import Concern
from reflection.opinions.adopting import Adopted, RetainedUnits
from reflection.opinions.claims import Refusal
from reflection.opinions.review import Act, Review, review_opinion
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_message
from tests.reflection.opinions.believing import adopt as adopt_retained
from tests.reflection.opinions.believing import (
    check_replay,
    list_causes,
    read_opinion,
    read_opinions,
    read_steps,
    see,
)
from tests.reflection.opinions.losing import delete, list_evidence, read_everything

FERRY = "I think that the Faro ferry is reliable."
MAY, JUNE, AUGUST = (datetime(2024, month, day, tzinfo=UTC) for month, day in ((5, 1), (6, 7), (8, 3)))


@pytest.fixture
def message_id(tenant: Tenant, bank: Bank) -> UUID:
    return make_message(tenant, bank=bank, role="assistant", content=FERRY).id


def judge(bank: Bank, text: str, message_id: UUID, *, confidence: float = 0.7, said_at: datetime = MAY) -> UUID:
    source = Source(0, 5, message_id=message_id)
    told: dict[str, Any] = {"network": Network.OPINION, "confidence": confidence, "mentioned_at": said_at}
    return see(bank, text, "Faro ferry", sources=[source], **told)


def adopt(bank: Bank, *new: UUID, again: tuple[UUID, ...] = (), closed: tuple[UUID, ...] = ()) -> int:
    return try_to_adopt(bank, *new, again=again, closed=closed).formed


def try_to_adopt(bank: Bank, *new: UUID, again: tuple[UUID, ...] = (), closed: tuple[UUID, ...] = ()) -> Adopted:
    adopted = adopt_retained(bank, RetainedUnits(new, again, closed))
    return replace(adopted, usage=Usage())


def test_it_gets_its_first_revision_once(bank: Bank, message_id: UUID) -> None:
    opinion = judge(bank, FERRY, message_id)
    assert [adopt(bank, opinion), adopt(bank, opinion)] == [1, 0]
    (step,) = read_steps(bank, opinion)
    assert (step.number, step.cause, step.confidence_after, step.actor) == (1, "formed", 0.7, "retain")


def test_facts_are_left_alone(bank: Bank) -> None:
    fact = see(bank, "The ferry was on time.")
    assert adopt(bank, fact) == 0
    assert read_steps(bank, fact) == []


def test_one_of_the_same_sense_joins_the_older(tenant: Tenant, bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    later = make_message(tenant, bank=bank, role="assistant", content="again").id
    new = judge(bank, "I believe that the Faro ferry is reliable.", later, confidence=0.9)
    assert adopt(bank, new) == 0
    assert [one.id for one in read_opinions(bank)] == [old]
    assert (read_opinion(bank, old).confidence, list_causes(bank, old)) == (0.7, ["formed", "restated"])
    assert read_opinion(bank, new).superseded_by_id == old
    assert read_opinion(bank, old).valid_from is None
    with tenant_transaction(bank.tenant_id):
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=old)
        assert set(sources.values_list("message_id", flat=True)) == {message_id, later}
    assert adopt(bank, new) == 0
    assert list_causes(bank, old) == ["formed", "restated"]
    check_replay(bank, old)


def test_an_opinion_that_retain_closed_for_its_opposite_continues_with_the_new_words(
    bank: Bank, message_id: UUID
) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    text = "I think that the Faro ferry is a disaster."
    new = judge(bank, text, message_id, confidence=0.6)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(old, new, timezone.now())], now=timezone.now(), actor="test")
    for _ in range(2):
        adopt(bank, new, closed=(old,))
        opinion = read_opinion(bank, old)
        assert (opinion.text, opinion.confidence, opinion.expired_at) == (text, 0.6, None)
        assert list_causes(bank, old) == ["formed", "revised"]
        assert [one.id for one in read_opinions(bank)] == [old]
    check_replay(bank, old)


def test_the_history_tells_when_it_was_said_and_the_opinion_has_the_date_of_its_words(
    bank: Bank, message_id: UUID
) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    again = judge(bank, "I believe that the Faro ferry is reliable.", message_id, said_at=JUNE)
    adopt(bank, again)
    assert read_steps(bank, old)[-1].reasoning == "The agent said it again on Friday, June 7, 2024."
    assert read_opinion(bank, old).mentioned_at == JUNE
    text = "I think that the Faro ferry is not reliable."
    adopt(bank, judge(bank, text, message_id, said_at=AUGUST))
    opinion, step = read_opinion(bank, old), read_steps(bank, old)[-1]
    assert (step.text_after, step.reasoning) == (text, "The agent said the opposite on Saturday, August 3, 2024.")
    assert (opinion.text, opinion.mentioned_at) == (text, AUGUST)


def test_a_change_of_mind_revises_the_opinion_that_it_means(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    text = "Previously I thought that the Faro ferry is reliable, but now I think that the Faro ferry is always late."
    new = judge(bank, text, message_id, confidence=0.8)
    adopt(bank, new)
    opinion = read_opinion(bank, old)
    assert (opinion.text, opinion.confidence) == (text, 0.8)
    assert (read_opinion(bank, new).superseded_by_id, list_causes(bank, old)) == (old, ["formed", "revised"])


@pytest.mark.parametrize("mark", [None, Act.APPROVE, Act.PIN])
def test_a_restatement_with_additions_keeps_the_held_words(bank: Bank, message_id: UUID, mark: Act | None) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    if mark:
        review(bank, old, mark)
    new = judge(bank, f"{FERRY[:-1]}, although it is overpriced.", message_id)
    assert (new != old, adopt(bank, new, again=(old,))) == (True, 1)
    opinion = read_opinion(bank, old)
    assert (opinion.text, opinion.review) == (FERRY, {None: "", Act.APPROVE: "approved", Act.PIN: "pinned"}[mark])
    assert "revised" not in list_causes(bank, old)
    delete(bank, new)
    assert "overpriced" not in read_everything(bank)


@pytest.mark.parametrize("act", [Act.EDIT, Act.APPROVE, Act.PIN])
def test_a_restatement_keeps_words_that_a_person_approved(bank: Bank, message_id: UUID, act: Act) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    plain = "The Faro ferry is great."
    review(bank, old, Act.EDIT, text=plain)
    if act is not Act.EDIT:
        review(bank, old, act)
    before = read_opinion(bank, old).review
    assert judge(bank, plain, message_id) == old
    adopt(bank, again=(old,))
    assert (read_opinion(bank, old).text, read_opinion(bank, old).review) == (plain, before)
    assert "revised" not in list_causes(bank, old)
    check_replay(bank, old)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"I think that {'the Faro ferry is reliable and ' * 40} safe.", "too_long"),
    ],
)
def test_a_statement_that_is_no_opinion_is_closed_and_counted_and_has_no_history(
    bank: Bank, message_id: UUID, text: str, reason: str
) -> None:
    opinion = judge(bank, text, message_id)
    assert try_to_adopt(bank, opinion) == Adopted(0, {Refusal(reason): 1})
    assert try_to_adopt(bank, opinion) == Adopted(0, {})
    assert (read_opinions(bank), read_steps(bank, opinion)) == ([], [])


def test_an_opinion_that_retain_closed_for_a_non_opinion_is_held_again(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    new = judge(bank, f"It is unclear whether {'the Faro ferry is reliable and ' * 40} safe.", message_id)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(old, new, timezone.now())], now=timezone.now(), actor="test")
    adopt(bank, new, closed=(old,))
    assert ([one.id for one in read_opinions(bank)], list_causes(bank, old)) == ([old], ["formed"])


def test_a_reversal_is_withdrawn_with_its_source(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    text = "Previously I thought that the Faro ferry is reliable, but now I think that the Faro ferry is always late."
    new = judge(bank, text, message_id, confidence=0.8)
    adopt(bank, new)
    assert list_evidence(bank, old) == [("formed", []), ("revised", [new])]
    delete(bank, new)
    opinion = read_opinion(bank, old)
    assert (opinion.text, opinion.confidence) == (FERRY, 0.7)
    assert "always late" not in read_everything(bank)
    check_replay(bank, old)


@pytest.mark.parametrize(
    "text",
    [
        "Previously I thought that the Faro ferry is reliable, but now I think that it is always late.",
        "I think that the Faro ferry is not reliable.",
    ],
)
def test_a_pinned_opinion_stays_and_its_history_records_the_contradiction(
    bank: Bank, message_id: UUID, text: str
) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    pin(bank, old)
    new = judge(bank, text, message_id, confidence=0.8)
    for _ in range(2):
        assert adopt(bank, new) == 0
        check_pinned(bank, old, against=new)


def test_a_pinned_one_that_retain_closed_for_its_opposite_is_held_again_and_queued(
    bank: Bank, message_id: UUID
) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    pin(bank, old)
    new = judge(bank, "I think that the Faro ferry is a disaster.", message_id)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_units(bank, [Closing(old, new, timezone.now())], now=timezone.now(), actor="test")
    for _ in range(2):
        adopt(bank, new, closed=(old,))
        check_pinned(bank, old, against=new)


def test_the_opposite_replaces_the_held_opinion(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    adopt(bank, old)
    new = judge(bank, "I think that the Faro ferry is not reliable.", message_id, confidence=0.8)
    for _ in range(2):
        assert adopt(bank, new) == 0
        (held,) = read_opinions(bank)
        assert (held.id, held.text, held.confidence) == (old, "I think that the Faro ferry is not reliable.", 0.8)
        assert list_causes(bank, old) == ["formed", "revised"]
    check_replay(bank, old)


def pin(bank: Bank, opinion_id: UUID) -> None:
    review(bank, opinion_id, Act.PIN)


def review(bank: Bank, opinion_id: UUID, act: Act, text: str | None = None) -> None:
    vector = get_embedder().embed_documents([text]).vectors[0] if text else None
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        review_opinion(bank, read_opinion(bank, opinion_id), Review(act, "lea", "sure", text), vector=vector)


def check_pinned(bank: Bank, opinion_id: UUID, *, against: UUID) -> None:
    (opinion,) = read_opinions(bank)
    assert (opinion.id, opinion.text, opinion.confidence, opinion.review) == (opinion_id, FERRY, 0.7, "pinned")
    assert read_opinion(bank, against).superseded_by_id == opinion_id
    assert list_causes(bank, opinion_id) == ["formed", "pinned", "contradict"]
    assert read_steps(bank, opinion_id)[-1].evidence_id == against
    check_replay(bank, opinion_id)
    with tenant_transaction(bank.tenant_id):
        assert Opinion.objects.of_bank(bank).concerning(Concern.CONTRADICTED).get().id == opinion_id


def test_without_a_model_it_gets_its_history_and_is_compared_with_nothing(bank: Bank, message_id: UUID) -> None:
    old = judge(bank, FERRY, message_id)
    new = judge(bank, "I think that the Faro ferry is not reliable.", message_id)
    assert adopt_retained(bank, RetainedUnits((old, new)), matcher=None) == Adopted()
    assert [one.id for one in read_opinions(bank)] == [old, new]
    assert (list_causes(bank, old), list_causes(bank, new)) == (["formed"], ["formed"])
