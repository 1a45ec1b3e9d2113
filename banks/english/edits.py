from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Edit:
    """Characters `start` to `end` become `replacement`; an empty range inserts."""

    start: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Of two edits that overlap the first one stands."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(set(edits)):
        if edit.start >= done:
            pieces += [text[done : edit.start], edit.replacement]
            done = edit.end
    return "".join([*pieces, text[done:]])
