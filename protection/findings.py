"""Findings in a text, and the text without them. Pure functions: no Django, no network."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


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
