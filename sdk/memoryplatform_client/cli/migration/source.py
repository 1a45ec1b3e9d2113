"""Reading the files of other systems as entries to retain."""

import json
import lzma
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from memoryplatform_client.cli.batches import Entry
from memoryplatform_client.cli.failures import CommandFailed
from memoryplatform_client.cli.reading import NotRead

T = TypeVar("T")


class NotThisFormat(CommandFailed):
    pass


@dataclass(frozen=True)
class Wanted:
    """`bank`: the target bank, empty if the format chooses. `only`: the conversations to migrate, empty for all."""

    path: Path
    bank: str = ""
    only: frozenset[str] = frozenset()


Found: TypeAlias = Entry | NotRead
Read: TypeAlias = Callable[[Wanted], Iterator[Found]]


def spare_others(name: str, entries: Iterator[Found]) -> Iterator[Found]:
    """Report a faulty conversation as not read, and continue with the others."""
    try:
        yield from entries
    except (NotThisFormat, OverflowError) as fault:  # OverflowError: a time close to the end of the calendar
        yield NotRead(name, str(fault))


def read_json(path: Path) -> Any:
    """JSON, JSON lines, and either compressed by xz."""
    content = path.read_bytes()
    try:
        text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode("utf-8-sig")
    except (lzma.LZMAError, UnicodeDecodeError) as fault:
        raise NotThisFormat(f"{path} is no text: {fault}") from fault
    try:
        return json.loads(text)
    except ValueError as fault:
        return read_lines(path, text, fault)


def read_lines(path: Path, text: str, fault: ValueError) -> list[Any]:
    """If the first line is valid JSON, the error names the faulty line."""
    rows: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except ValueError as broken:
            if rows:
                raise NotThisFormat(f"{path} is JSON lines, but line {number} is not JSON: {broken}") from broken
            raise NotThisFormat(f"{path} is neither JSON nor JSON lines: {fault}") from fault
    return rows


def take(row: Any, name: str, where: str) -> Any:
    """A field that the format requires."""
    if not isinstance(row, Mapping) or name not in row:
        raise NotThisFormat(f"{where} has no {name!r}.")
    return row[name]


def check_kind(kind: type[T], value: Any, name: str) -> T:
    if not isinstance(value, kind):
        raise NotThisFormat(f"Its {name!r} is a {type(value).__name__}, not a {kind.__name__}.")
    return value


def check_texts(value: Any, name: str) -> list[str]:
    return [check_kind(str, one, name) for one in check_kind(list, value, name)]


def find_moment(text: Any) -> datetime | None:
    """Parse ISO 8601. A time without a zone is UTC, as these systems write it."""
    if text is None or text == "":
        return None
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError) as fault:
        raise NotThisFormat(f"{text!r} is no time.") from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def bank_of(wanted: Wanted, part: str, *, is_single: bool) -> str:
    """Conversations never share a bank: the facts of one would supersede those of another."""
    return wanted.bank if is_single else f"{wanted.bank}-{part}"
