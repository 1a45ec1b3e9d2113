"""Boundaries of plain text and markdown: sections, paragraphs, sentences, lines, and blocks that stay whole."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from banks.retain.chunking.boundaries import Boundary, Strength
from banks.retain.chunking.sentences import ends_sentence, find_sentence_starts

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


class Line(NamedTuple):
    start: int
    end: int  # with its line break
    is_heading: bool
    is_table_row: bool
    fence: str  # the mark that opens or closes a code block, or nothing
    ends_sentence: bool


def read_lines(text: str) -> list[Line]:
    """The lines that are not blank. Blank ones show as a gap between their neighbours."""
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
    """The lines that continue a code fence or a table. A fence that nobody closes is no fence, or one stray mark would
    hold together all that follows.
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
