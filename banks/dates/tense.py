"""Which way an ambiguous time points, from the wording around it."""

import re
from bisect import bisect_right

from banks.dates.context import Direction

_SENTENCE_END = re.compile(r"[.!?\n;](?=\s|$)")
_FUTURE = re.compile(
    r"\b(?:will|won't|shall|gonna|upcoming|tomorrow|let's|lets)\b|'ll\b"
    r"|(?:\b(?:am|is|are)|'m|'s|'re) (?:going|planning|about|scheduled|due|supposed) (?:to|for)\b"
    r"|(?:\b(?:is|are)|'s|'re) (?:planned|scheduled|booked|due|expected)\b"
    r"|\b(?:plan|plans|planning|hope|hoping|want|wants|intend|need|schedule|remind|book|looking forward)\b"
)
_PAST = re.compile(r"\b(?:was|were|did|didn't|had|went|came|saw|met|got|made|took|ago|yesterday|been)\b|\b\w{2,}ed\b")


class Tenses:
    """The direction of each sentence of a folded text, found once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ends = [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        self.directions: dict[int, Direction] = {}

    def at(self, start: int) -> Direction:
        """The future if the sentence speaks only of that, the past otherwise."""
        number = bisect_right(self.ends, start)
        if number not in self.directions:
            opening = self.ends[number - 1] if number else 0
            closing = self.ends[number] if number < len(self.ends) else len(self.text)
            self.directions[number] = _direction_of(self.text[opening:closing])
        return self.directions[number]


def _direction_of(sentence: str) -> Direction:
    """The participle in "is planned" is none of the past."""
    rest, count = _FUTURE.subn(" ", sentence)
    return "future" if count and not _PAST.search(rest) else "past"
