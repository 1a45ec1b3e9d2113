"""The share of a turn that the text of a result contains.

An engine may reword a turn slightly, for example write a name for "I" or a date for "yesterday". The comparison is
therefore word by word, and a few differing words do not end a stretch.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

WORD = re.compile(r"\w+(?:['\u2019]\w+)*")  # "I'll" is one word
MOST_CHANGED = 3  # words of the turn in a row
MOST_ADDED = 8  # words that replace them, such as a date

Stretch = tuple[int, int]  # characters of the turn


def find_returned(turn: str, start: int, end: int, text: str) -> list[Stretch]:
    """The stretches of the turn's characters `start` to `end` that the text contains in the same order."""
    words = [(start + found.start(), start + found.end()) for found in WORD.finditer(turn[start:end])]
    told = [turn[first:last].lower() for first, last in words]
    back = [found.lower() for found in WORD.findall(text)]
    runs = join_blocks(SequenceMatcher(None, told, back, autojunk=False))
    return [(words[first][0], words[last - 1][1]) for first, last in widen(runs, len(words))]


def join_blocks(matcher: "SequenceMatcher[str]") -> Iterator[tuple[int, int]]:
    """Runs of the turn's words, as half-open ranges."""
    begun, ends, ends_there = -1, -1, -1
    for mine, theirs, size in matcher.get_matching_blocks():
        goes_on = begun >= 0 and mine - ends <= MOST_CHANGED and theirs - ends_there <= MOST_ADDED
        if size and not goes_on:
            if begun >= 0:
                yield begun, ends
            begun = mine
        if size:
            ends, ends_there = mine + size, theirs + size
    if begun >= 0:
        yield begun, ends


def widen(runs: Iterator[tuple[int, int]], words: int) -> Iterator[tuple[int, int]]:
    """Extend runs to the beginning or end of the turn if only a few differing words lie between."""
    for first, last in runs:
        yield (0 if first <= MOST_CHANGED else first), (words if words - last <= MOST_CHANGED else last)
