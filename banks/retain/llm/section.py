"""A passage or a part of it, and the form in which the model sees it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate

from banks.chunking.spans import find_sentence_starts
from banks.prompting import write_day_and_zone
from banks.types import Passage, Quote, Turn
from providers import tokens
from providers.llm.prompting.fence import bar, fence, label
from timewords.rendering import MONTHS, WEEKDAYS

SHORTEST_SPLIT = 200  # characters: half of a shorter text is too short to extract facts from
MOST_CHARACTERS = 8  # in a token, on average over a text
EARLIER_TURNS = 2
EARLIER_CHARACTERS = 400
CONTEXT_TOKENS = 500
MOST_NAMES = 50
DAYS_IN_WEEK = 7
WEEKS_BEFORE, WEEKS_AFTER = 1, 1  # in the calendar of a prompt

BLANK = re.compile(r"\s+")


@dataclass(frozen=True)
class TurnPiece:
    """A turn or a part of one: `turn.text` begins at `start` of the turn at `index` of the passage."""

    turn: Turn
    index: int
    start: int = 0

    @property
    def quote(self) -> Quote:
        return Quote(self.index, self.start, self.start + len(self.turn.text))

    def with_text(self, text: str) -> "TurnPiece":
        return replace(self, turn=replace(self.turn, text=text))

    def cut(self, at: int) -> tuple["TurnPiece", "TurnPiece"]:
        text = self.turn.text
        return self.with_text(text[:at]), replace(self.with_text(text[at:]), start=self.start + at)


@dataclass(frozen=True)
class Section:
    passage: Passage
    pieces: tuple[TurnPiece, ...]

    @property
    def characters(self) -> int:
        return sum(len(piece.turn.text) for piece in self.pieces)

    def is_longer_than(self, max_tokens: int) -> bool:
        """The tokens are counted only if the number of characters leaves it open."""
        if self.characters > max_tokens * MOST_CHARACTERS:
            return True
        return sum(tokens.count(piece.turn.text) for piece in self.pieces) > max_tokens

    @property
    def before(self) -> list[TurnPiece]:
        """The end of the turns right before the section: they explain its "she" and "there"."""
        first = self.pieces[0]
        said = [*self.passage.before, *self.passage.turns[: first.index]]
        earlier = [TurnPiece(turn, index) for index, turn in enumerate(said, start=-len(self.passage.before))]
        if first.start:
            earlier.append(TurnPiece(self.passage.turns[first.index], first.index).cut(first.start)[0])
        return [piece.with_text(piece.turn.text[-EARLIER_CHARACTERS:]) for piece in earlier[-EARLIER_TURNS:]]

    @property
    def is_blank(self) -> bool:
        return not any(piece.turn.text.strip() for piece in self.pieces)

    def is_agent(self, turn: Turn) -> bool:
        """If a speaker has the agent's name, that speaker is the agent. Otherwise every assistant is."""
        name = self.passage.agent_name.casefold()
        if name and any(other.speaker.casefold() == name for other in self.passage.turns):
            return turn.speaker.casefold() == name
        return turn.role == "assistant"


def build_section(passage: Passage) -> Section:
    return Section(passage, tuple(TurnPiece(turn, index) for index, turn in enumerate(passage.turns)))


def split_section(section: Section, *, longest: int) -> Iterator[Section]:
    """The section in parts of at most `longest` characters, if it can be divided so far."""
    halves = find_halves(section) if section.characters > longest else None
    if halves is None:
        yield section
    else:
        for half in halves:
            yield from split_section(half, longest=longest)


def find_halves(section: Section) -> tuple[Section, Section] | None:
    """Two sections of about the same length, or None if the section is too short to divide."""
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
    """The number of turns with about half of all characters; at least one, and not all."""
    passed = list(accumulate(len(piece.turn.text) for piece in section.pieces))
    return min(range(1, len(passed)), key=lambda at: abs(passed[at - 1] - passed[-1] / 2))


def find_middle(text: str) -> int:
    """The end of a sentence in the middle half of the text, else of a word, else the middle itself."""
    middle = len(text) // 2
    low, high = len(text) // 4, len(text) * 3 // 4
    words = (match.end() for match in BLANK.finditer(text, low, high))
    for ends in (list(find_sentence_starts(text, low, high)), list(words)):
        if ends:
            return min(ends, key=lambda end: abs(end - middle))
    return middle


def render_passage(section: Section) -> str:
    parts = (render_head, render_calendar, render_earlier, render_turns)
    return fence("passage", (line for part in parts for line in part(section)))


def render_head(section: Section) -> Iterator[str]:
    passage = section.passage
    if passage.is_document:
        yield "kind: document"
    if passage.agent_name and (passage.is_document or any(map(section.is_agent, passage.turns))):
        yield f"name of the agent: {label(passage.agent_name)}"
    if passage.context:
        yield "the sender's context:"
        yield from bar(tokens.truncate(passage.context, CONTEXT_TOKENS))
    if passage.given_entities:
        yield "names to use in the facts: " + "; ".join(
            f"{label(entity.name)} ({entity.kind})" for entity in passage.given_entities[:MOST_NAMES]
        )


def render_calendar(section: Section) -> Iterator[str]:
    """The weeks around the beginning: few episodes last into another week."""
    yield "calendar:"
    yield from list_weeks_around(section.pieces[0].turn.said_at.date())


def render_earlier(section: Section) -> Iterator[str]:
    for piece in section.before:
        yield f"earlier: {write_speaker(section, piece)}"
        yield from bar(piece.turn.text)


def render_turns(section: Section) -> Iterator[str]:
    """The day stands once above its turns."""
    day = ""
    for number, piece in enumerate(section.pieces, start=1):
        if (its_day := write_day_and_zone(piece.turn.said_at)) != day:
            day = its_day
            yield f"on {day}"
        yield from render_piece(section, number, piece)


def render_piece(section: Section, number: int, piece: TurnPiece) -> Iterator[str]:
    yield f"turn {number}: {write_speaker(section, piece)}, {piece.turn.said_at:%H:%M}"
    yield from bar(piece.turn.text)


def write_speaker(section: Section, piece: TurnPiece) -> str:
    """The name, with the role if it says more."""
    name = label(piece.turn.speaker)
    if section.is_agent(piece.turn):
        return f"{name} (the agent)"
    role = "author" if section.passage.is_document else piece.turn.role
    return name if role == "user" else f"{name} ({role})"


def list_weeks_around(day: date) -> Iterator[str]:
    """The dates with their weekdays, one week a line. Models often can't work out the date of "last Friday"."""
    monday = day.toordinal() - day.weekday()
    for week in range(-WEEKS_BEFORE, WEEKS_AFTER + 1):
        start = monday + week * DAYS_IN_WEEK
        days = [date.fromordinal(one) for one in range(start, start + DAYS_IN_WEEK) if is_a_day(one)]
        if days:
            yield ", ".join(
                [
                    f"{WEEKDAYS[days[0].weekday()][:3]} {days[0]}",
                    *(f"{WEEKDAYS[one.weekday()][:3]} {write_day(one)}" for one in days[1:]),
                ]
            )


def write_day(day: date) -> str:
    """With the month where it begins."""
    return f"{MONTHS[day.month - 1][:3]} 1" if day.day == 1 else str(day.day)


def is_a_day(ordinal: int) -> bool:
    return 1 <= ordinal <= date.max.toordinal()
