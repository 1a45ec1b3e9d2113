"""A long passage is read in steps: each is an answer to wait for, and may fail by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from banks.retain.chunking.sentences import find_sentence_starts
from banks.retain.types import ExtractedFact, Passage, Quote, Turn

TURNS_BEFORE = 2
LEAST = 4  # a fourth of a step makes none by itself: a short question stays with its long answer


@dataclass(frozen=True)
class TurnPart:
    """`turn.text` begins at `start` of the turn at `place` of the passage."""

    turn: Turn
    place: int
    start: int = 0


@dataclass(frozen=True)
class PassageStep:
    passage: Passage
    parts: tuple[TurnPart, ...]

    def find_quote(self, quote: Quote) -> Quote:
        """Where it stands in the whole passage."""
        part = self.parts[quote.turn]
        return Quote(part.place, part.start + quote.start, part.start + quote.end)


def cut_passage(passage: Passage, *, longest: int) -> list[PassageStep]:
    """Of about `longest` characters each. The end of one stands before the next, so that "she" is somebody."""
    steps: list[PassageStep] = []
    before = passage.before
    for parts in group_parts(passage.turns, longest):
        turns = tuple(part.turn for part in parts)
        steps.append(PassageStep(replace(passage, turns=turns, before=before), tuple(parts)))
        before = (*before, *turns)[-TURNS_BEFORE:]
    return steps


def group_parts(turns: Sequence[Turn], longest: int) -> Iterator[list[TurnPart]]:
    group: list[TurnPart] = []
    size = 0
    for part in (part for place, turn in enumerate(turns) for part in cut_turn(turn, place, longest)):
        if size + len(part.turn.text) > longest and size * LEAST > longest:
            yield group
            group, size = [], 0
        group.append(part)
        size += len(part.turn.text)
    if group:
        yield group


def cut_turn(turn: Turn, place: int, longest: int) -> Iterator[TurnPart]:
    start = 0
    while len(turn.text) - start > longest:
        end = find_end(turn.text, start + longest // 2, start + longest)
        yield TurnPart(replace(turn, text=turn.text[start:end]), place, start)
        start = end
    yield TurnPart(replace(turn, text=turn.text[start:]), place, start)


def find_end(text: str, first: int, last: int) -> int:
    """The last beginning of a sentence in the stretch, else of a word, else its end."""
    sentences = list(find_sentence_starts(text, first, last))
    return sentences[-1] if sentences else max(text.rfind(blank, first, last) for blank in " \n") + 1 or last


def join_facts(steps: Sequence[PassageStep], found: Sequence[Sequence[ExtractedFact]]) -> tuple[ExtractedFact, ...]:
    """As if the passage had been read at once: quotes are places in it, causes places in the list of all facts."""
    facts: list[ExtractedFact] = []
    for step, some in zip(steps, found, strict=True):
        shift = len(facts)
        facts += [
            replace(
                fact,
                quotes=tuple(map(step.find_quote, fact.quotes)),
                causes=tuple(replace(cause, target=cause.target + shift) for cause in fact.causes),
            )
            for fact in some
        ]
    return tuple(facts)
