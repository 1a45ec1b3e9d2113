"""A text as a prompt shows it: whole where it has a usual length, so that no call grows with what was stored."""

from collections.abc import Iterable
from dataclasses import dataclass

from banks.retain.chunking.graphemes import find_grapheme_cut
from providers.llm.prompting.fence import BAR, bar

MOST_CHARACTERS = 1_500
CALL_CHARACTERS = 40_000  # of all the texts in one call, with their headings
ELLIPSIS = " …"
LONGEST_WORD = 40  # a cut within a longer one is where it falls: there are languages without spaces


@dataclass(frozen=True)
class Excerpt:
    """`lines` have their bars. `is_whole`: at most line ends were left out."""

    lines: tuple[str, ...]
    is_whole: bool


def excerpt(text: str, most: int = MOST_CHARACTERS) -> Excerpt:
    """At most so many characters, bars and line ends counted: a text of line ends alone would have three times as many.

    One that is too long is put on a single line first, and loses its end only where that is not enough.
    """
    lines = bar(text)
    if measure(lines) <= most:
        return Excerpt(tuple(lines), is_whole=True)
    flat = " ".join(text.split())
    room = most - measure([BAR])
    if len(flat) <= room:
        return Excerpt((f"{BAR}{flat}",), is_whole=True)
    end = find_grapheme_cut(flat, room - len(ELLIPSIS))
    space = flat.rfind(" ", max(1, end - LONGEST_WORD), end + 1)
    return Excerpt((f"{BAR}{flat[: end if space == -1 else space]}{ELLIPSIS}",), is_whole=False)


def measure(lines: Iterable[str]) -> int:
    """Characters, with the end of each line."""
    return sum(len(line) + 1 for line in lines)
