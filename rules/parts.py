"""The parts of a turn: each becomes one fact."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from banks.types import Passage, Quote, Turn

LONGEST_PART = 800  # characters, some 170 tokens: a paragraph, and well inside an embedder's 512
SHORTEST_PART = 450  # less is too little to be a passage of its own; the last two parts may be a third of the rest
BOUNDARIES = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?\u2026\u3002\uff01\uff1f]['\")\]]*\s"),
    re.compile(r"\s"),
)
BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")  # the indent of the line behind them is kept
ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Inc|Ltd|Co|vs|approx|e\.g|i\.e|z\.B)\.\s$")


@dataclass(frozen=True)
class Part:
    """Characters of a turn that become one fact."""

    turn: Turn
    quote: Quote

    @property
    def text(self) -> str:
        return self.turn.text[self.quote.start : self.quote.end]


def cut_turn(place: int, turn: Turn, passage: Passage) -> Iterator[Part]:
    if turn.role == "system" and not passage.is_document:
        return
    label = f"{turn.speaker}:"
    said_from = len(label) if turn.speaker and turn.text.startswith(label) else 0
    echoes = passage.echoes[place] if passage.echoes else ()
    for start, end in cut_text(turn.text[said_from:]):
        quote = Quote(place, start + said_from, end + said_from)
        if not any(echo.start <= quote.start and quote.end <= echo.end for echo in echoes):
            yield Part(turn, quote)


def cut_text(text: str) -> Iterator[tuple[int, int]]:
    """Spans of at most LONGEST_PART characters, cut at the end of a paragraph, else a line, a sentence or a word."""
    start = 0
    while start < len(text):
        end = len(text)
        if end - start > LONGEST_PART:
            shortest = min(SHORTEST_PART, (end - start) // 3)
            end = find_boundary(text, start + shortest, min(start + LONGEST_PART, end - shortest))
        part = text[start:end]
        if stripped := part.rstrip():
            blank = BLANK_LINES.match(stripped)
            left = blank.end() if blank and start else len(stripped) - len(stripped.lstrip())
            yield start + left, start + len(stripped)
        start = end


def find_boundary(text: str, earliest: int, latest: int) -> int:
    for boundary in BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(text, earliest, latest)]
        if ends := [end for end in ends if not ABBREVIATION.search(text, max(0, end - 10), end)]:
            return ends[-1]
    return latest
