"""Lines of a file as rows, each with its number for whoever has to find it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from memoryplatform.operations.transfer.errors import ImportInvalid


@dataclass(frozen=True)
class Line:
    number: int
    kind: str
    row: dict[str, Any]


def read_lines(body: bytes, *, first: int) -> Iterator[Line]:
    """Blank lines are passed over, and counted."""
    for number, text in enumerate(body.split(b"\n"), start=first):
        if text.strip():
            yield read_line(text, number)


def count_lines(body: bytes) -> int:
    """A break at the end begins no further line."""
    return body.count(b"\n") + (not body.endswith(b"\n") and bool(body))


def read_line(text: bytes, number: int) -> Line:
    try:
        row = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ImportInvalid(number, "This is no JSON.") from None
    if not isinstance(row, dict) or not isinstance(row.get("type"), str):
        raise ImportInvalid(number, "A line is an object with a type.")
    return Line(number, row.pop("type"), row)
