"""JSON of whichever shape that a caller gives us to keep: it must come back as it came.

A parser takes more than Postgres stores and than an answer can repeat, and what is read from another notation than JSON
may hold anything.
"""

import math
from typing import Any

from rest_framework import serializers

DEEPEST = 100  # what writes the answer gives up at 254
LEAST, MOST = -(2**63), 2**64 - 1  # what writes the answer knows no other integers


def check_json(value: Any) -> None:
    """Raises a ValidationError that says what can't be kept."""
    fault = find_fault(value)
    if fault:
        raise serializers.ValidationError(fault, code="json")


def find_fault(value: Any) -> str:
    """Empty where all of it can be kept."""
    level = [value]
    for _ in range(DEEPEST):
        fault = next(filter(None, map(find_own_fault, level)), "")
        if fault or not level:
            return fault
        level = [inner for one in level for inner in list_inner(one)]
    return f"Must be nested at most {DEEPEST} deep." if level else ""


def find_own_fault(value: Any) -> str:
    match value:
        case str():
            return find_text_fault(value)
        case None | bool() | list():
            return ""
        case int():
            return "" if LEAST <= value <= MOST else "Integers must fit into 64 bits."
        case float():
            return "" if math.isfinite(value) else "Numbers must be finite."
        case dict():
            return "" if all(isinstance(name, str) for name in value) else "Names must be texts."
    return "Must be JSON."


def find_text_fault(text: str) -> str:
    if "\x00" in text:
        return "Null characters are not allowed."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "Half a character (a lone surrogate) is not allowed."
    return ""


def list_inner(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []
