"""Which text a piece of evidence bore on: the one that an opinion has now, or one that it had before."""

from collections.abc import Sequence
from typing import Literal

from django.db.models import F, Q, QuerySet

from reflection.models import OpinionRevision
from reflection.opinions.history.replay import OpinionState, follow

Cause = OpinionRevision.Cause
Stance = Literal["for", "against", "former"]

FORMATION = 1  # the number of the first step
OPPOSING = (Cause.WEAKEN, Cause.CONTRADICT)


def filter_worded(revisions: QuerySet[OpinionRevision]) -> QuerySet[OpinionRevision]:
    """Those that can give an opinion a text: all that `find_turn` needs, and few of a long history."""
    return revisions.filter(Q(number=1) | ~Q(text_before=F("text_after"))).order_by("number")


def find_turn(revisions: Sequence[OpinionRevision]) -> int:
    """The number of the step that gave the opinion the text that it has, of steps in the order of their numbers.

    0 where none tells it. A change of mind without evidence only put the same into other words.
    """
    state, turn = OpinionState(), 0
    for revision in revisions:
        after = follow(state, revision)
        says_the_same = revision.cause == Cause.REVISED and revision.evidence_id is None
        if after.text != state.text and not says_the_same:
            turn = revision.number
        state = after
    return turn


def find_stance(revision: OpinionRevision, turn: int, *, text: str) -> Stance:
    """What the evidence of a step says of the present `text`. What brought that text speaks for it, whatever it did to
    the one before. A verdict on a wording that went with lost evidence says nothing of it.
    """
    is_outgrown = revision.withdrawn and revision.cause in OpinionRevision.EVIDENTIAL and revision.text_before != text
    if revision.number < turn or is_outgrown:
        return "former"
    return "against" if revision.number > turn and revision.cause in OPPOSING else "for"
