"""The places where a text may be cut, with their strength: markdown, plain text and JSON."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from banks.chunking.spans import CHUNK_SIZE, ends_sentence, find_sentence_starts

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|,\s*', re.DOTALL)


class Strength(IntEnum):
    """Higher is better. Words and single characters are too many to list, so they are searched only if needed."""

    WITHIN = 1  # inside a code fence or table, after a heading, inside a deep element: the last resort
    LINE = 2
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5


class Boundary(NamedTuple):
    """A cut before the character at `position`."""

    position: int
    strength: Strength


class Boundaries:
    """Sorted by position. The strongest of several at one position stays."""

    def __init__(self, found: Iterable[Boundary]) -> None:
        strongest = dict(sorted(found))
        self._sorted = [Boundary(position, strength) for position, strength in strongest.items()]

    def between(self, first: int, last: int) -> list[Boundary]:
        """The boundaries with first <= position <= last."""
        return self._sorted[bisect_left(self._sorted, (first,)) : bisect_left(self._sorted, (last + 1,))]

    def find_next(self, after: int, *, above: int, within: int) -> Boundary | None:
        """The next boundary that is stronger than `above`, at most `within` characters away."""
        return next((place for place in self.between(after + 1, after + within) if place.strength > above), None)


BY_DEPTH = {0: Strength.SECTION, 1: Strength.PARAGRAPH, 2: Strength.SENTENCE, 3: Strength.LINE}


def find_boundaries(text: str) -> Boundaries:
    """JSON is cut between its elements, anything else between sections, paragraphs, sentences and lines."""
    if is_json(text):
        return Boundaries(find_elements(text))
    return Boundaries(find_records(text) if is_json_lines(text) else find_structure(text))


class Line(NamedTuple):
    start: int
    end: int  # with its line break
    is_heading: bool
    is_table_row: bool
    fence: str  # the mark that opens or closes a code block, or nothing
    ends_sentence: bool


def read_lines(text: str) -> list[Line]:
    """The lines that are not blank. A blank line shows as a gap between its neighbours."""
    return [
        build_line(line, match.start(), match.end())
        for match in LINE.finditer(text)
        if not (line := match.group()).isspace() and line
    ]


def build_line(line: str, start: int, end: int) -> Line:
    first = line.lstrip(" \t")[0]
    fence = FENCE.match(line) if first in "`~" else None
    is_heading = first == "#" and HEADING.match(line) is not None
    return Line(start, end, is_heading, first == "|", fence.group(1) if fence else "", ends_sentence(line))


def find_structure(text: str) -> Iterator[Boundary]:
    lines = read_lines(text)
    inside = find_block_lines(lines)
    for index, line in enumerate(lines):
        if index:
            yield Boundary(line.start, rate_line_start(lines[index - 1], line, inside=index in inside))
        if index not in inside and not line.is_table_row and not line.fence:
            for position in find_sentence_starts(text, line.start, line.end):
                yield Boundary(position, Strength.SENTENCE)


def rate_line_start(previous: Line, line: Line, *, inside: bool) -> Strength:
    if inside or (previous.is_heading and not line.is_heading):
        return Strength.WITHIN
    if line.is_heading:
        return Strength.WITHIN if previous.is_heading else Strength.SECTION
    if line.start > previous.end:
        return Strength.PARAGRAPH
    if previous.fence or line.fence or previous.is_table_row != line.is_table_row:
        return Strength.PARAGRAPH
    return Strength.SENTENCE if previous.ends_sentence else Strength.LINE


def find_block_lines(lines: list[Line]) -> set[int]:
    """The lines that continue a code fence or a table. An unclosed fence does not count: otherwise one stray mark would
    join all following lines.
    """
    inside: set[int] = set()
    opened: int | None = None
    for index, line in enumerate(lines):
        if opened is None:
            if line.fence:
                opened = index
            elif index and line.is_table_row and lines[index - 1].is_table_row and lines[index - 1].end == line.start:
                inside.add(index)
        elif line.fence.startswith(lines[opened].fence):
            inside.update(range(opened + 1, index + 1))
            opened = None
    return inside


def is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_json_lines(text: str) -> bool:
    return all(is_json(line) for line in text.split("\n") if line and not line.isspace())


def find_records(text: str) -> Iterator[Boundary]:
    for match in re.finditer(r"(?<=[\r\n])(?=[^\r\n])", text):
        yield Boundary(match.start(), Strength.SECTION)
    yield from find_elements(text)


def find_elements(text: str) -> Iterator[Boundary]:
    depth = 0
    for match in JSON_TOKEN.finditer(text):
        token = match.group()
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == ",":
            yield Boundary(match.end(), BY_DEPTH.get(depth, Strength.WITHIN))
        elif len(token) > CHUNK_SIZE:
            for position in find_sentence_starts(text, match.start(), match.end()):
                yield Boundary(position, Strength.WITHIN)
