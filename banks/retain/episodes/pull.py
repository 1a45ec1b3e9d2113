from dataclasses import dataclass

from banks.retain.episodes.cues import (
    answers,
    asks,
    greets,
    rate_brevity,
    replies,
    takes_leave,
    turns_away,
    turns_back,
)
from banks.retain.episodes.thresholds import ANSWER_MARGIN, ASKED, AWAY, BACK_CUE, BRIEF, GREETING, LEAVE, MARGIN, REPLY
from banks.retain.types import Turn


@dataclass(frozen=True)
class Pull:
    """What speaks for a place beside the topic, in cosines: for the episode of the turn before, and for another one."""

    here: float
    back: float


def pull_to(before: Turn, turn: Turn) -> Pull:
    if answers(turn):
        return Pull(here=ANSWER_MARGIN, back=0.0)  # an agent answers to the point: its topic decides
    here = weigh_answer(before, turn) - weigh_beginning(before, turn)
    return Pull(here=here, back=(BACK_CUE if turns_back(turn) else 0.0) - MARGIN)


def weigh_answer(before: Turn, turn: Turn) -> float:
    """Who was asked or greeted answers, whatever with; an agent's closing offer of more help is no such question."""
    is_addressed = turn.speaker != before.speaker and not answers(before) and (asks(before) or greets(before))
    return (ASKED if is_addressed else 0.0) + BRIEF * rate_brevity(turn) + (REPLY if replies(turn) else 0.0)


def weigh_beginning(before: Turn, turn: Turn) -> float:
    return (
        (LEAVE if takes_leave(before) and not takes_leave(turn) else 0.0)
        + (AWAY if turns_away(turn) else 0.0)
        + (GREETING if greets(turn) and not greets(before) else 0.0)
    )
