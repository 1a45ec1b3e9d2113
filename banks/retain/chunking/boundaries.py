"""Where a text may be cut, and how well each place suits."""

from bisect import bisect_left
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple


class Strength(IntEnum):
    """Higher is better. Words and single characters are too many to list: they are looked for where they are needed."""

    WITHIN = 1  # a line of a code fence or table, what follows a heading, a deep element: only where it can't be helped
    LINE = 2
    SENTENCE = 3
    PARAGRAPH = 4
    SECTION = 5


class Boundary(NamedTuple):
    """A cut before the character at `position`."""

    position: int
    strength: Strength


class Boundaries:
    """In the order of their positions, the strongest where two fall together."""

    def __init__(self, found: Iterable[Boundary]) -> None:
        strongest = dict(sorted(found))
        self._sorted = [Boundary(position, strength) for position, strength in strongest.items()]

    def between(self, first: int, last: int) -> list[Boundary]:
        """Those with first <= position <= last."""
        return self._sorted[bisect_left(self._sorted, (first,)) : bisect_left(self._sorted, (last + 1,))]

    def find_next(self, after: int, *, above: int, within: int) -> Boundary | None:
        """The next that is stronger than `above`, no further away than `within`."""
        return next((place for place in self.between(after + 1, after + within) if place.strength > above), None)
