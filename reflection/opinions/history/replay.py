"""An opinion from its revisions alone: what they add up to is what it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reflection.models import OpinionRevision
from reflection.opinions.moving import move
from reflection.opinions.types import Verdict

Cause = OpinionRevision.Cause

REVIEWS = {
    Cause.APPROVED: "approved",
    Cause.PINNED: "pinned",
    Cause.UNPINNED: "",
}
APPROVED = "approved"
RETIRED = "retired"
MOVING = {*OpinionRevision.EVIDENTIAL, Cause.REVISED}


@dataclass(frozen=True)
class OpinionState:
    """`laid_aside` is the mark that it had when it was retired, and gets back with its restoration."""

    text: str = ""
    confidence: float = 0.0
    review: str = ""
    laid_aside: str = ""


def replay(revisions: Sequence[OpinionRevision]) -> OpinionState:
    """In the order of their numbers."""
    state = OpinionState()
    for revision in revisions:
        state = follow(state, revision)
    return state


def follow(state: OpinionState, revision: OpinionRevision) -> OpinionState:
    """What was withdrawn did nothing, and the step that took it back has nothing left to do."""
    cause = Cause(revision.cause)
    if cause is Cause.FORMED:
        return replace(state, text=revision.text_after, confidence=revision.confidence_after)
    if cause is Cause.EDITED:
        return follow_edit(state, revision)
    if cause in MOVING:
        return state if revision.withdrawn else follow_move(state, revision)
    return follow_mark(state, cause)


def follow_edit(state: OpinionState, revision: OpinionRevision) -> OpinionState:
    """Who changes the text alone has not set the confidence, and the other way round: what was left is what the other
    steps make of it.
    """
    is_reworded = revision.text_before != revision.text_after
    is_set = revision.confidence_before != revision.confidence_after
    return replace(
        state,
        text=revision.text_after if is_reworded else state.text,
        confidence=revision.confidence_after if is_set else state.confidence,
    )


def follow_move(state: OpinionState, revision: OpinionRevision) -> OpinionState:
    """A text that no person wrote is approved by nobody."""
    cause = Cause(revision.cause)
    if cause is Cause.REVISED:
        moved = replace(state, text=revision.text_after, confidence=revision.confidence_after)
    else:
        confidence = move(state.confidence, Verdict(cause), step=revision.step or 0.0)
        moved = replace(state, text=read_text(state, revision), confidence=confidence)
    return replace(moved, review="") if moved.text != state.text and state.review == APPROVED else moved


def follow_mark(state: OpinionState, cause: OpinionRevision.Cause) -> OpinionState:
    if cause in REVIEWS:
        return replace(state, review=REVIEWS[cause])
    if cause is Cause.RETIRED and state.review != RETIRED:
        return replace(state, review=RETIRED, laid_aside=state.review)
    if cause is Cause.RESTORED:
        return replace(state, review=find_restored_mark(state), laid_aside="")
    if cause is Cause.REOPENED:
        return replace(state, review=RETIRED if state.review == RETIRED else "", laid_aside="")
    return state


def find_restored_mark(state: OpinionState) -> str:
    """What was retired has the mark again that it had before. What had only given way to another kept its own."""
    return state.laid_aside if state.review == RETIRED else state.review


def read_text(state: OpinionState, revision: OpinionRevision) -> str:
    """A new wording stands where it was made from the one that stands: what grew out of a withdrawn one goes too.

    One that was removed with a deleted fact is none.
    """
    is_made_of_it = bool(revision.text_after) and revision.text_before == state.text
    return revision.text_after if is_made_of_it else state.text
