"""Texts of memories and messages in parts: marked spans, differences of two versions, and a cut of very long ones."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from uuid import UUID

LONGEST = 20_000  # characters that a page shows at once
MOST_WORDS = 1_500  # of texts that are compared word by word
EXCERPT = 700  # characters beside a span that are shown
WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Span:
    start: int
    end: int
    kind: str = ""
    unit_id: UUID | None = None  # the memory that came from it


@dataclass(frozen=True)
class Part:
    """Some characters of a text. `kind` is empty where nothing is marked. `unit_id` is that of the span."""

    text: str
    kind: str = ""
    unit_id: UUID | None = None


def mark_spans(text: str, spans: Iterable[Span]) -> list[Part]:
    """The whole text. Where spans overlap, the later one loses what the earlier one has."""
    parts, end = [], 0
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        start, stop = max(span.start, end), min(span.end, len(text))
        if start >= stop:
            continue
        parts += [Part(text[end:start]), Part(text[start:stop], span.kind or "mark", span.unit_id)]
        end = stop
    return [part for part in (*parts, Part(text[end:])) if part.text]


def mark_excerpt(text: str, start: int | None, end: int | None, *, beside: int = EXCERPT) -> list[Part]:
    """The span with `beside` characters on both sides."""
    if start is None:
        return [Part(text[:beside] + ("…" if len(text) > beside else ""))]
    stop = len(text) if end is None else end
    first, last = max(0, start - beside), min(len(text), stop + beside)
    before, after = text[first:start], text[stop:last]
    parts = [
        Part(f"…{before}" if first else before),
        Part(text[start:stop][:LONGEST], "mark"),
        Part(f"{after}…" if last < len(text) else after),
    ]
    return [part for part in parts if part.text]


def compare(before: str, after: str) -> list[Part]:
    """The removed and the added words. Long texts are shown one after the other."""
    old, new = WORD.findall(before), WORD.findall(after)
    if len(old) > MOST_WORDS or len(new) > MOST_WORDS:
        return [Part(before[:LONGEST], "removed"), Part(after[:LONGEST], "added")]
    parts = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(Part("".join(old[i1:i2])))
        else:
            parts += [Part("".join(old[i1:i2]), "removed"), Part("".join(new[j1:j2]), "added")]
    return [part for part in parts if part.text]
