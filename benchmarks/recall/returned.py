"""How much of a turn stands in the text that came back.

The built-in engine tells a turn in its own words but for pronouns and dates ("I" becomes the speaker's name and
"yesterday" a day), so the two are laid side by side word by word, and a few words that differ do not end a stretch.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

WORD = re.compile(r"\w+(?:['\u2019]\w+)*")  # "I'll" is one, as it is one that changes
MOST_CHANGED = 3  # words of the turn in a row
MOST_ADDED = 8  # words in their place: a date that was written out

Stretch = tuple[int, int]  # characters of the turn


def find_returned(turn: str, start: int, end: int, text: str) -> list[Stretch]:
    """The stretches of characters `start` to `end` of the turn that stand in the text, in its order."""
    words = [(start + found.start(), start + found.end()) for found in WORD.finditer(turn[start:end])]
    told = [turn[first:last].lower() for first, last in words]
    back = [found.lower() for found in WORD.findall(text)]
    runs = join_blocks(SequenceMatcher(None, told, back, autojunk=False))
    return [(words[first][0], words[last - 1][1]) for first, last in widen(runs, len(words))]


def join_blocks(matcher: "SequenceMatcher[str]") -> Iterator[tuple[int, int]]:
    """Runs of words of the turn: from the first to behind the last."""
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
    """To the ends, where only a few changed words are before or behind."""
    for first, last in runs:
        yield (0 if first <= MOST_CHANGED else first), (words if words - last <= MOST_CHANGED else last)
