"""Changes by people: review acts, and changes through the memories API of an opinion or of a fact behind one.

Every act is a revision with a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils import timezone

from banks.enums import Network
from banks.errors import MemoryInvalid, MemoryState
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.models import Bank, MemoryUnit, UnitChange
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.changed_facts import withdraw_edited
from reflection.opinions.claims import LONGEST_TEXT
from reflection.opinions.entities import NewWording, relink_entities
from reflection.opinions.evidence import FACTS
from reflection.opinions.history import OpinionState, find_restored_mark, replay
from reflection.opinions.lost_evidence import withdraw_lost_evidence
from reflection.opinions.reversals import close_successor
from reflection.opinions.revisions import Before, Step, read_revisions, write_step

Cause = OpinionRevision.Cause
Mark = MemoryUnit.Review


class Act(StrEnum):
    APPROVE = "approve"
    EDIT = "edit"
    RETIRE = "retire"
    PIN = "pin"
    UNPIN = "unpin"
    RESTORE = "restore"


@dataclass(frozen=True)
class Review:
    """`text` and `confidence` are for an edit; None leaves them."""

    act: Act
    actor: str
    reason: str = ""
    text: str | None = None
    confidence: float | None = None


# act -> the marks under which it is possible, the mark that it leaves, and the cause of its revision
MARKS: dict[Act, tuple[frozenset[str], str, Cause]] = {
    Act.APPROVE: (frozenset({"", Mark.APPROVED}), Mark.APPROVED, Cause.APPROVED),
    Act.PIN: (frozenset({"", Mark.APPROVED}), Mark.PINNED, Cause.PINNED),
    Act.UNPIN: (frozenset({Mark.PINNED}), "", Cause.UNPINNED),
    Act.RETIRE: (frozenset({"", Mark.APPROVED, Mark.PINNED}), Mark.RETIRED, Cause.RETIRED),
    Act.RESTORE: (frozenset({Mark.RETIRED}), "", Cause.RESTORED),  # or the mark that it was retired with
}


def review_opinion(bank: Bank, opinion: MemoryUnit, review: Review, *, vector: Vector | None = None) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with the row as it is now. `vector` is of the new text."""
    check(opinion, review)
    before = Before.of(opinion)
    if review.act is Act.EDIT:
        edit(bank, opinion, review, vector)
        cause = Cause.EDITED
    else:
        cause = mark(bank, opinion, review)
    write_step(bank, opinion, before, Step(cause, review.actor, review.reason))


def check(opinion: MemoryUnit, review: Review) -> None:
    if opinion.network != Network.OPINION:
        raise MemoryState("Only opinions are reviewed.")
    if review.act is Act.EDIT:
        if review.text is None and review.confidence is None:
            raise MemoryInvalid("An edit needs a text or a confidence.")
        if review.text is not None:
            check_text(review.text)
    elif opinion.review not in MARKS[review.act][0]:
        raise MemoryState(
            f"The opinion is {opinion.review or 'not reviewed yet'}: it can't be the subject of {review.act}."
        )
    is_closed = opinion.expired_at is not None
    if is_closed != (review.act is Act.RESTORE):
        raise MemoryState("The opinion is closed." if is_closed else "The opinion is not retired.")


def check_text(text: str) -> None:
    if not 0 < len(text.strip()) <= LONGEST_TEXT:
        raise MemoryInvalid(f"An opinion has between 1 and {LONGEST_TEXT} characters.")


def edit(bank: Bank, opinion: MemoryUnit, review: Review, vector: Vector | None) -> None:
    change = UnitEdit(text=review.text, confidence=review.confidence)
    before = opinion.text
    edit_unit(bank, opinion, change, vector=vector, actor=review.actor, reason=review.reason)
    if opinion.text != before:
        relink_entities(bank, opinion, NewWording(opinion.text, before))


def mark(bank: Bank, opinion: MemoryUnit, review: Review) -> Cause:
    """A retired opinion is closed, so that no recall returns it."""
    _, after, cause = MARKS[review.act]
    if review.act is Act.RETIRE:
        closing = Invalidation("update", explanation=review.reason, actor=review.actor)
        invalidate_unit(bank, opinion, closing)
    elif review.act is Act.RESTORE:
        after = find_restored_mark(replay(read_revisions(bank, opinion.id)))
        restore_unit(bank, opinion, actor=review.actor, reason=review.reason)
        close_successor(bank, opinion, actor=review.actor)
    opinion.review, opinion.updated_at = after, timezone.now()
    opinion.save(update_fields=["review", "updated_at"])
    return cause


def note_manual_change(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> bool:
    """Brings opinions in line with the changed unit. Call inside the tenant transaction of the change, after it.

    Returns whether a consolidation should follow: to weigh the fact again, to embed an opinion whose text went back,
    or to weigh the facts that a restored opinion has missed.
    """
    if unit.network == Network.OPINION:
        return note_own_change(bank, unit, actor=actor, reason=reason)
    return unit.network in FACTS and follow_fact(bank, unit, actor=actor)


def follow_fact(bank: Bank, fact: MemoryUnit, *, actor: str) -> bool:
    """A corrected fact loses its effect. An edited or restored one may move opinions again."""
    now = timezone.now()
    if fact.expired_at is not None:
        return withdraw_lost_evidence(bank, now=now, actor=actor).unembedded > 0
    withdraw_edited(bank, fact, now=now, actor=actor)
    last = find_last_change(bank, fact)
    return last is not None and (last.action == UnitChange.Action.RESTORED or "text" in last.before)


def note_own_change(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str) -> bool:
    """Closing an opinion by hand retires it, reopening restores it. Returns whether evidence may move it again."""
    revisions = read_revisions(bank, unit.id)
    state = replay(revisions) if revisions else read_former_state(bank, unit)
    before = Before(state.text, state.confidence)
    if unit.text != state.text:
        check_text(unit.text)
        relink_entities(bank, unit, NewWording(unit.text, state.text))
    if (unit.text, unit.confidence) != (state.text, state.confidence):
        write_step(bank, unit, before, Step(Cause.EDITED, actor, reason))
    cause = find_mark(unit, state, is_restored=is_newly_restored(bank, unit, revisions))
    if cause is Cause.RESTORED:
        close_successor(bank, unit, actor=actor)
    if cause is not None:
        unit.review = MemoryUnit.Review.RETIRED if cause is Cause.RETIRED else find_restored_mark(state)
        unit.save(update_fields=["review"])
        write_step(bank, unit, Before.of(unit), Step(cause, actor, reason))
    return cause is Cause.RESTORED and unit.review != MemoryUnit.Review.PINNED


def find_last_change(bank: Bank, unit: MemoryUnit) -> UnitChange | None:
    return UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit).order_by("-changed_at", "-id").first()


def read_former_state(bank: Bank, unit: MemoryUnit) -> OpinionState:
    """The state before the change, of an opinion without a history."""
    last = find_last_change(bank, unit)
    before = last.before if last and last.action == UnitChange.Action.EDITED else {}
    return OpinionState(before.get("text", unit.text), before.get("confidence", unit.confidence) or 0.0, unit.review)


def find_mark(unit: MemoryUnit, state: OpinionState, *, is_restored: bool) -> Cause | None:
    """An opinion that gave way to another can be restored too, though it has no review mark."""
    is_retired = state.review == MemoryUnit.Review.RETIRED
    if unit.expired_at is not None:
        return None if is_retired else Cause.RETIRED
    return Cause.RESTORED if is_retired or is_restored else None


def is_newly_restored(bank: Bank, unit: MemoryUnit, revisions: Sequence[OpinionRevision]) -> bool:
    """Whether it was restored after the last revision."""
    last = find_last_change(bank, unit)
    if last is None or last.action != UnitChange.Action.RESTORED:
        return False
    return all(one.created_at < last.changed_at for one in revisions if one.cause == Cause.RESTORED)
