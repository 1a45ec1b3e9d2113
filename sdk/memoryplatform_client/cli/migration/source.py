"""What another system wrote, as entries to be retained."""

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
    """`bank`: where it goes; empty where the format chooses. `only`: the conversations to take; empty for all."""

    path: Path
    bank: str = ""
    only: frozenset[str] = frozenset()


Found: TypeAlias = Entry | NotRead
Read: TypeAlias = Callable[[Wanted], Iterator[Found]]


def spare_others(name: str, entries: Iterator[Found]) -> Iterator[Found]:
    """What is at fault in one of many is told, and the others go on."""
    try:
        yield from entries
    except (NotThisFormat, OverflowError) as fault:  # the latter of a time close to the end of the calendar
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
    """Where the first line is JSON by itself, it is the line at fault that is named."""
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
    """What the format must have."""
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
    """ISO 8601; without a zone it is UTC, as these systems write it."""
    if text is None or text == "":
        return None
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError) as fault:
        raise NotThisFormat(f"{text!r} is no time.") from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def bank_of(wanted: Wanted, part: str, *, is_single: bool) -> str:
    """Several conversations don't share a bank: what one says would close what the other said."""
    return wanted.bank if is_single else f"{wanted.bank}-{part}"
