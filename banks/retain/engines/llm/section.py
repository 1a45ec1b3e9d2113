"""A passage, or the part of it that one call is asked about, and how to make smaller parts."""

import re
from dataclasses import dataclass, replace
from itertools import accumulate

from banks.retain.chunking.sentences import find_sentence_starts
from banks.retain.types import Passage, Quote, Turn
from providers import tokens

SHORTEST_SPLIT = 200  # characters: half of less is no text to take facts from
MOST_CHARACTERS = 8  # in a token, on average over a text; what has more is blanks, and may be divided all the same
EARLIER_TURNS = 2
EARLIER_CHARACTERS = 400

BLANK = re.compile(r"\s+")


@dataclass(frozen=True)
class Piece:
    """A turn or a part of one: `turn.text` begins at `start` of the turn at `index` of the passage."""

    turn: Turn
    index: int
    start: int = 0

    @property
    def quote(self) -> Quote:
        return Quote(self.index, self.start, self.start + len(self.turn.text))

    def with_text(self, text: str) -> "Piece":
        return replace(self, turn=replace(self.turn, text=text))

    def cut(self, at: int) -> tuple["Piece", "Piece"]:
        text = self.turn.text
        return self.with_text(text[:at]), replace(self.with_text(text[at:]), start=self.start + at)


@dataclass(frozen=True)
class Section:
    passage: Passage
    pieces: tuple[Piece, ...]

    def is_longer_than(self, max_tokens: int) -> bool:
        """By counting only where the number of characters leaves it open."""
        characters = sum(len(piece.turn.text) for piece in self.pieces)
        if characters > max_tokens * MOST_CHARACTERS:
            return True
        return sum(tokens.count(piece.turn.text) for piece in self.pieces) > max_tokens

    @property
    def before(self) -> list[Piece]:
        """The end of what was said right before: a part of a passage has "she" and "there" like the whole."""
        first = self.pieces[0]
        said = [*self.passage.before, *self.passage.turns[: first.index]]
        earlier = [Piece(turn, index) for index, turn in enumerate(said, start=-len(self.passage.before))]
        if first.start:
            earlier.append(Piece(self.passage.turns[first.index], first.index).cut(first.start)[0])
        return [piece.with_text(piece.turn.text[-EARLIER_CHARACTERS:]) for piece in earlier[-EARLIER_TURNS:]]

    @property
    def is_blank(self) -> bool:
        return not any(piece.turn.text.strip() for piece in self.pieces)

    def is_agent(self, turn: Turn) -> bool:
        """The agent goes by its name where a speaker has it; an assistant may then be somebody else."""
        name = self.passage.agent_name.casefold()
        if name and any(other.speaker.casefold() == name for other in self.passage.turns):
            return turn.speaker.casefold() == name
        return turn.role == "assistant"


def build_section(passage: Passage) -> Section:
    return Section(passage, tuple(Piece(turn, index) for index, turn in enumerate(passage.turns)))


def find_halves(section: Section) -> tuple[Section, Section] | None:
    """Two sections of about the same length, or None where there is too little to divide."""
    if len(section.pieces) > 1:
        at = find_middle_turn(section)
        first, second = section.pieces[:at], section.pieces[at:]
    else:
        piece = section.pieces[0]
        if len(piece.turn.text) < SHORTEST_SPLIT:
            return None
        head, tail = piece.cut(find_middle(piece.turn.text))
        first, second = (head,), (tail,)
    return replace(section, pieces=first), replace(section, pieces=second)


def find_middle_turn(section: Section) -> int:
    """The number of turns whose characters come closest to half of all; at least one, and not all."""
    passed = list(accumulate(len(piece.turn.text) for piece in section.pieces))
    return min(range(1, len(passed)), key=lambda at: abs(passed[at - 1] - passed[-1] / 2))


def find_middle(text: str) -> int:
    """The end of a sentence nearest to the middle, else of a word, in the middle half; else the middle itself."""
    middle = len(text) // 2
    low, high = len(text) // 4, len(text) * 3 // 4
    words = (match.end() for match in BLANK.finditer(text, low, high))
    for ends in (list(find_sentence_starts(text, low, high)), list(words)):
        if ends:
            return min(ends, key=lambda end: abs(end - middle))
    return middle
