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
RETIRED = "retired"
SET_ANEW = {Cause.FORMED, Cause.REVISED, Cause.EDITED}


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
    if cause in SET_ANEW:
        return replace(state, text=revision.text_after, confidence=revision.confidence_after)
    if cause in REVIEWS:
        return replace(state, review=REVIEWS[cause])
    if cause is Cause.RETIRED and state.review != RETIRED:
        return replace(state, review=RETIRED, laid_aside=state.review)
    if cause is Cause.RESTORED:
        return replace(state, review=state.laid_aside, laid_aside="")
    if cause in OpinionRevision.EVIDENTIAL and not revision.withdrawn:
        confidence = move(state.confidence, Verdict(cause), step=revision.step or 0.0)
        return replace(state, confidence=confidence, text=read_text(state, revision))
    return state


def read_text(state: OpinionState, revision: OpinionRevision) -> str:
    """A new wording stands where it was made from the one that stands: what grew out of a withdrawn one goes too."""
    return revision.text_after if revision.text_before == state.text else state.text
