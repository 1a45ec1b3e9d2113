"""Chooses the cuts of a text among its boundaries.

Each cut depends on the text near it and on the cut before, never on the distance from the start of the text: two texts
that differ in one place are cut alike from the first cut that they have in common.
"""

import re
from zlib import crc32

from banks.retain.chunking.boundaries import Boundaries, Strength
from banks.retain.chunking.graphemes import find_grapheme_cut
from banks.retain.chunking.size import OVERLAP, SHORTEST

WORD_START = re.compile(r"(?<=\s)(?=\S)")
CONTEXT = 16  # characters on either side of a cut that decide between equals
HARD_CUT_WINDOW = 256
SLICE = 8


def find_chunk_end(text: str, boundaries: Boundaries, *, start: int, cut: int, size: int) -> int:
    """The end of the chunk from `start` whose own part begins at `cut`. The text goes on beyond `start + size`."""
    window = boundaries.between(cut + SHORTEST, start + size)
    best = max((boundary.strength for boundary in window), default=0)
    if best <= Strength.WITHIN and (early := find_early_end(boundaries, cut=cut, size=size, above=best)):
        return early
    equals = [boundary.position for boundary in window if boundary.strength == best]
    return choose(text, equals) if equals else find_weak_cut(text, cut + SHORTEST, start + size)


def find_early_end(boundaries: Boundaries, *, cut: int, size: int, above: int) -> int | None:
    """A place before what would be torn, if that is whole in the chunk that then begins there."""
    early = [boundary for boundary in boundaries.between(cut + 1, cut + SHORTEST - 1) if boundary.strength > above]
    if early and boundaries.find_next(early[-1].position, above=above, within=size):
        return early[-1].position
    return None


def find_weak_cut(text: str, first: int, last: int) -> int:
    if words := [match.start() for match in WORD_START.finditer(text, first, last + 1)]:
        return choose(text, words)
    # The greatest slice stands in for the hash: here every character is a candidate, and it costs a fifth.
    nearest = range(max(first, last - HARD_CUT_WINDOW), last + 1)
    return find_grapheme_cut(text, max(nearest, key=lambda position: (text[position : position + SLICE], position)))


def choose(text: str, positions: list[int]) -> int:
    """The one whose surroundings hash highest: the same one wherever the text is read from."""
    return max(positions, key=lambda position: (hash_place(text, position), position))


def hash_place(text: str, position: int) -> int:
    return crc32(text[max(0, position - CONTEXT) : position + CONTEXT].encode("utf-8", "surrogatepass"))


def find_chunk_start(text: str, boundaries: Boundaries, *, cut: int, previous: int, size: int) -> int:
    """Where the chunk after `cut` begins: with an overlap, unless that would take the room of a block that needs it."""
    start = find_overlap_start(text, boundaries, cut=cut, previous=previous)
    block_end = boundaries.find_next(cut, above=Strength.WITHIN, within=size)
    return cut if block_end and block_end.position > start + size else start


def find_overlap_start(text: str, boundaries: Boundaries, *, cut: int, previous: int) -> int:
    """Where the chunk after `cut` begins, so that it repeats what leads up to it, but not all since the `previous` cut.

    A block that the chunk before holds whole is not repeated in part.
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
