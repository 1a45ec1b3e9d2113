"""Cuts a long turn into passages that an embedder can read as one thought."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 800  # characters, some 170 tokens: a reader's paragraph, and well inside an embedder's 512
SHORTEST = 450  # some 100 tokens: less is no passage of its own
BOUNDARIES = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?\u2026\u3002\uff01\uff1f]['\")\]]*\s"),
    re.compile(r"\s"),
)


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of a turn, without white space at its ends."""

    start: int
    end: int


def cut(text: str, *, longest: int = LONGEST, shortest: int = SHORTEST) -> list[Piece]:
    """At a paragraph's end where one lies in reach, else a line's, a sentence's, a word's, else anywhere."""
    return [piece for start, end in _stretches(text, longest, shortest) if (piece := _trimmed(text, start, end))]


def _stretches(text: str, longest: int, shortest: int) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > longest:
        latest = max(start + 1, min(start + longest, len(text) - shortest))
        end = _boundary(text, min(start + shortest, latest - 1), latest)
        yield start, end
        start = end
    yield start, len(text)


def _boundary(text: str, earliest: int, latest: int) -> int:
    for boundary in BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest


def _trimmed(text: str, start: int, end: int) -> Piece | None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = end - len(piece) + len(piece.rstrip())
    return Piece(left, right) if left < right else None
