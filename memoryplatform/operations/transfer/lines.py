"""Reading and writing the lines of a file. Each line has a type, and its number for error messages.

The row is an object beside the type, because a table may have a column named `type`. In version 1 of the format both
were one object: a link's own type replaced the word `link`, and identifies the line as a link.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from banks.models import Link
from memoryplatform.operations.transfer.errors import ImportInvalid

HEADER, END, ERROR, LINK = "header", "end", "error", "link"
TYPE, ROW = "type", "row"
# The fields of the lines that belong to the file and to no table.
HEADER_FIELDS = frozenset({"format", "version", "bank_id", "embedding_model", "vectors", "exported_at"})
END_FIELDS = frozenset({"rows"})


@dataclass(frozen=True)
class Line:
    number: int
    kind: str
    row: dict[str, Any]


def read_lines(body: bytes, *, first: int) -> Iterator[Line]:
    """Skip blank lines, but count them."""
    for number, text in enumerate(body.split(b"\n"), start=first):
        if text.strip():
            yield read_line(text, number)


def count_lines(body: bytes) -> int:
    """A line break at the end begins no further line."""
    return body.count(b"\n") + (not body.endswith(b"\n") and bool(body))


def read_line(text: bytes, number: int) -> Line:
    try:
        row = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ImportInvalid(number, "This is not JSON.") from None
    check_names(text, number)
    if not isinstance(row, dict) or not isinstance(row.get(TYPE), str):
        raise ImportInvalid(number, "A line must be an object with a type.")
    return open_line(number, row.pop(TYPE), row)


def check_names(text: bytes, number: int) -> None:
    """Refuse duplicate names in an object: JSON readers differ in the value that they take."""

    def check(pairs: Sequence[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise ImportInvalid(number, f"The field '{twice}' occurs twice in one object.")

    try:
        json.loads(text, object_pairs_hook=check)
    except RecursionError:
        raise ImportInvalid(number, "It is nested too deeply.") from None


def check_fields(line: Line, known: frozenset[str]) -> None:
    if unknown := sorted(set(line.row) - known):
        raise ImportInvalid(line.number, f"A line of the type {line.kind} has no field '{unknown[0]}'.")


def open_line(number: int, kind: str, rest: dict[str, Any]) -> Line:
    inner = rest.get(ROW)
    if isinstance(inner, dict) and len(rest) == 1:
        return Line(number, kind, inner)
    if kind in Link.Type.values:
        return Line(number, LINK, {**rest, TYPE: kind})
    return Line(number, kind, rest)


def write_row(kind: str, row: dict[str, Any]) -> bytes:
    return write_line(kind, {ROW: row})


def write_line(kind: str, content: dict[str, Any]) -> bytes:
    """Fields of the file itself are beside the type."""
    return orjson.dumps({TYPE: kind, **content}, option=orjson.OPT_APPEND_NEWLINE)
