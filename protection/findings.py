"""Findings in a text, and the text without them. Pure functions: no Django, no network."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

# Not in the category Cf, and as invisible: variation selectors, the grapheme joiner, fillers of Hangul.
INVISIBLE = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u034f\u115f\u1160\u3164\uffa0]")


class Family(StrEnum):
    SECRETS = "secrets"
    PERSONAL_DATA = "personal_data"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, order=True)
class Finding:
    """Characters `start` to `end` of a text. `kind` names the type, such as `email`; never the found text."""

    start: int
    end: int
    family: Family
    kind: str


def find_in_plain(text: str, find: Callable[[str], Iterable[Finding]]) -> list[Finding]:
    """Findings of the text in NFKC without invisible characters, at their places in the text itself.

    So a key in full-width letters, or with a zero-width space in it, is found and covered as a whole.
    """
    if text.isascii():
        return list(find(text))
    kept = [
        (plain, place)
        for place, one in enumerate(text)
        if unicodedata.category(one) != "Cf" and not INVISIBLE.match(one)
        for plain in unicodedata.normalize("NFKC", one)
    ]
    found = find("".join(plain for plain, _ in kept))
    return [replace(one, start=kept[one.start][1], end=kept[one.end - 1][1] + 1) for one in found]


def join_findings(findings: Iterable[Finding]) -> list[Finding]:
    """In the order of the text. Findings that overlap become one, which has the kind of the first."""
    joined: list[Finding] = []
    for one in sorted(findings, key=lambda one: (one.start, -one.end)):
        last = joined[-1] if joined else None
        if last and one.start < last.end:
            joined[-1] = Finding(last.start, max(last.end, one.end), last.family, last.kind)
        else:
            joined.append(one)
    return joined


def redact(text: str, findings: Sequence[Finding], *, keep_length: bool = False) -> str:
    """Replaces each finding by its kind in brackets, or by asterisks where that is longer.

    So a redacted text never exceeds the length of the text. With `keep_length` every other character keeps its place.
    """
    parts: list[str] = []
    end = 0
    for one in join_findings(findings):
        parts += text[end : one.start], mask(one, keep_length=keep_length)
        end = one.end
    return "".join([*parts, text[end:]])


def mask(one: Finding, *, keep_length: bool) -> str:
    length, label = one.end - one.start, f"[{one.kind}]"
    if len(label) > length:
        return "*" * length
    return label.ljust(length, "*") if keep_length else label
