"""Cutting a text into overlapping chunks.

Each cut depends on the text near it and on the cut before, never on the distance from the start of the text. So two
texts that differ in one place have the same cuts after the first common cut.
"""

import re
from collections.abc import Iterable, Iterator
from zlib import crc32

from banks.chunking.boundaries import Boundaries, Strength, find_boundaries
from banks.chunking.spans import CHUNK_SIZE, OVERLAP, SHORTEST, ChunkSpan, find_grapheme_cut, trim

WORD_START = re.compile(r"(?<=\s)(?=\S)")
CONTEXT = 16  # characters on either side of a cut that decide between equals
HARD_CUT_WINDOW = 256
SLICE = 8


def chunk_text(text: str, *, size: int = CHUNK_SIZE) -> list[ChunkSpan]:
    """Overlapping spans of at most `size` characters, in order. They cover all characters but blanks. Linear time."""
    whole = trim(text, 0, len(text))
    if whole.start == whole.end:
        return []
    if whole.end - whole.start <= size:
        return [whole]
    return drop_contained(span for span in cut_text(text, size) if span.start < span.end)


def drop_contained(spans: Iterable[ChunkSpan]) -> list[ChunkSpan]:
    """Drop chunks inside their neighbours, which remain when long runs of blanks are trimmed."""
    chunks: list[ChunkSpan] = []
    for span in spans:
        if chunks and span.end <= chunks[-1].end:
            continue
        if chunks and span.start <= chunks[-1].start:
            chunks.pop()
        chunks.append(span)
    return chunks


def cut_text(text: str, size: int) -> Iterator[ChunkSpan]:
    boundaries = find_boundaries(text)
    start = cut = 0
    while start + size < len(text):
        end = find_chunk_end(text, boundaries, start=start, cut=cut, size=size)
        yield trim(text, start, end)
        start, cut = find_chunk_start(text, boundaries, cut=end, previous=cut, size=size), end
    yield trim(text, start, len(text))


def find_chunk_end(text: str, boundaries: Boundaries, *, start: int, cut: int, size: int) -> int:
    """The end of the chunk from `start` whose own part begins at `cut`. The text continues beyond `start + size`."""
    window = boundaries.between(cut + SHORTEST, start + size)
    best = max((boundary.strength for boundary in window), default=0)
    if best <= Strength.WITHIN and (early := find_early_end(boundaries, cut=cut, size=size, above=best)):
        return early
    equals = [boundary.position for boundary in window if boundary.strength == best]
    return choose(text, equals) if equals else find_weak_cut(text, cut + SHORTEST, start + size)


def find_early_end(boundaries: Boundaries, *, cut: int, size: int, above: int) -> int | None:
    """A place before a block that would be cut, if the next chunk can hold the whole block."""
    early = [boundary for boundary in boundaries.between(cut + 1, cut + SHORTEST - 1) if boundary.strength > above]
    if early and boundaries.find_next(early[-1].position, above=above, within=size):
        return early[-1].position
    return None


def find_weak_cut(text: str, first: int, last: int) -> int:
    if words := [match.start() for match in WORD_START.finditer(text, first, last + 1)]:
        return choose(text, words)
    # The greatest slice replaces the hash: every character is a candidate here, and the slice costs a fifth.
    nearest = range(max(first, last - HARD_CUT_WINDOW), last + 1)
    return find_grapheme_cut(text, max(nearest, key=lambda position: (text[position : position + SLICE], position)))


def choose(text: str, positions: list[int]) -> int:
    """The place with the highest hash of its surroundings, which does not depend on the start of the text."""
    return max(positions, key=lambda position: (hash_place(text, position), position))


def hash_place(text: str, position: int) -> int:
    return crc32(text[max(0, position - CONTEXT) : position + CONTEXT].encode("utf-8", "surrogatepass"))


def find_chunk_start(text: str, boundaries: Boundaries, *, cut: int, previous: int, size: int) -> int:
    """The start of the chunk after `cut`: with an overlap, unless a following block needs the room."""
    start = find_overlap_start(text, boundaries, cut=cut, previous=previous)
    block_end = boundaries.find_next(cut, above=Strength.WITHIN, within=size)
    return cut if block_end and block_end.position > start + size else start


def find_overlap_start(text: str, boundaries: Boundaries, *, cut: int, previous: int) -> int:
    """The start of the chunk after `cut`. It repeats the text before the cut, but not all since the `previous` cut.

    It does not repeat a part of a block that the chunk before contains as a whole.
    """
    first = max(previous + 1, cut - OVERLAP)
    places = boundaries.between(first, cut)
    for least in (Strength.SENTENCE, Strength.LINE):
        if starts := [place.position for place in places if place.strength >= least and place.position < cut]:
            return starts[0]
    if starts := [place.position for place in places if place.position < cut]:
        return cut if places[-1].strength > Strength.WITHIN else starts[0]
    word = WORD_START.search(text, first, cut)
    return word.start() if word else find_grapheme_cut(text, first)
