"""What people do with opinions. Every act has a reason and stands in the history."""

from dataclasses import dataclass
from enum import StrEnum

from django.utils import timezone

from banks.errors import MemoryInvalid, MemoryState
from banks.lifecycle.edit import UnitEdit, edit_unit
from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.lifecycle.restore import restore_unit
from banks.models import Bank, MemoryUnit
from banks.words import Network
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.forming.cleaning import LONGEST_TEXT
from reflection.opinions.forming.restoring import WRITTEN, take_place_again
from reflection.opinions.history.replay import find_restored_mark, replay
from reflection.opinions.history.revisions import Before, Step, read_revisions, write_step
from reflection.opinions.naming_anew import NewWords, name_anew
from reflection.opinions.wording.no_opinion import is_no_opinion
from reflection.opinions.wording.voice import turn_to_first_person

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


# act -> the marks under which it can be done, what it leaves, and how history calls it
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
            check_wording(review.text)
    elif opinion.review not in MARKS[review.act][0]:
        raise MemoryState(
            f"The opinion is {opinion.review or 'not reviewed yet'}: it can't be the subject of {review.act}."
        )
    is_closed = opinion.expired_at is not None
    if is_closed != (review.act is Act.RESTORE):
        raise MemoryState("The opinion is closed." if is_closed else "The opinion is not retired.")


def check_wording(text: str) -> None:
    """What a person may have the agent say: as much as the agent itself."""
    if not 0 < len(text.strip()) <= LONGEST_TEXT:
        raise MemoryInvalid(f"An opinion has between 1 and {LONGEST_TEXT} characters.")
    if is_no_opinion(text):
        raise MemoryInvalid("That judges nothing, so it is no opinion. Retire the opinion if it is not to be held.")
    if turn_to_first_person(text) is None:
        raise MemoryInvalid("That is what somebody else believes. An opinion is the agent's own.")


def edit(bank: Bank, opinion: MemoryUnit, review: Review, vector: Vector | None) -> None:
    change = UnitEdit(text=review.text, confidence=review.confidence)
    before = opinion.text
    edit_unit(bank, opinion, change, vector=vector, actor=review.actor, reason=review.reason)
    if opinion.text != before:
        name_anew(bank, opinion, NewWords(opinion.text, before))
        take_place_again(bank, opinion, actor=review.actor, why=WRITTEN)


def mark(bank: Bank, opinion: MemoryUnit, review: Review) -> Cause:
    """A retired one is closed, so that nothing recalls it: it was held until now, and is held no more."""
    _, after, cause = MARKS[review.act]
    if review.act is Act.RETIRE:
        closing = Invalidation("update", explanation=review.reason, actor=review.actor)
        invalidate_unit(bank, opinion, closing)
    elif review.act is Act.RESTORE:
        after = find_restored_mark(replay(read_revisions(bank, opinion.id)))
        restore_unit(bank, opinion, actor=review.actor, reason=review.reason)
        take_place_again(bank, opinion, actor=review.actor)
    opinion.review, opinion.updated_at = after, timezone.now()
    opinion.save(update_fields=["review", "updated_at"])
    return cause
