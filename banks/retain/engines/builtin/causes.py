"""Causal edges between the facts of a passage, from cue words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banks.english.content_words import contained, content_words
from banks.retain.engines.builtin.cause_cues import CauseCue, asks_why, find_cues, points_back
from banks.retain.engines.builtin.reading import Reading
from banks.retain.types import Cause, CauseType, ExtractedFact
from banks.words import Network

REACH = 20  # facts before and after in which the other side of a cue is looked for: an episode, not a book
LEAST_SHARE, LEAST_WORDS = 0.5, 2  # of the cue's other side that a fact must have in common with it
POINTING_BACK, ANSWERING_WHY = 0.6, 0.7  # strengths where the other side is known by its place alone


@dataclass(frozen=True)
class Told:
    reading: Reading
    fact: ExtractedFact


def find_causes(told: Sequence[Told], place: int) -> tuple[Cause, ...]:
    """The edges of the fact at `place`, one to each target at most, the strongest."""
    found: dict[int, Cause] = {}
    for cause in _candidates(told, place):
        known = found.get(cause.target)
        if known is None or cause.strength > known.strength:
            found[cause.target] = cause
    return tuple(found[target] for target in sorted(found))


def _candidates(told: Sequence[Told], place: int) -> Iterator[Cause]:
    here = told[place]
    if here.fact.network is Network.OPINION:
        return
    before = _spoken_before(told, place)
    if before is not None and points_back(here.reading.text):
        yield Cause(before, CauseType.CAUSED_BY, POINTING_BACK)
    question = here.reading.question
    if before is not None and question and asks_why(question.text):
        yield Cause(before, CauseType.CAUSES, ANSWERING_WHY)
    for cue in find_cues(here.reading.text):
        yield from _matching(told, place, cue)


def _matching(told: Sequence[Told], place: int, cue: CauseCue) -> Iterator[Cause]:
    wanted = content_words(cue.other)
    if len(wanted) < LEAST_WORDS:
        return
    reach = range(max(0, place - REACH), min(len(told), place + REACH + 1))
    shares = {
        at: contained(wanted, content_words(told[at].reading.text))
        for at in reach
        if at != place and told[at].fact.network is not Network.OPINION
    }
    best = max(shares, key=lambda at: shares[at], default=None)
    if best is not None and shares[best] >= LEAST_SHARE and shares[best] * len(wanted) >= LEAST_WORDS:
        yield Cause(best, cue.type, round(LEAST_SHARE + LEAST_SHARE * shares[best], 2))


def _spoken_before(told: Sequence[Told], place: int) -> int | None:
    """The nearest fact before that the same speaker told, else the nearest at all."""
    speaker = told[place].reading.turn.speaker
    earlier = [at for at in range(max(0, place - REACH), place) if told[at].fact.network is not Network.OPINION]
    own = [at for at in earlier if told[at].reading.turn.speaker == speaker]
    return max(own or earlier, default=None)
