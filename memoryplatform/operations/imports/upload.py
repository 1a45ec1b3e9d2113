"""The result of reading an upload: items for retain, warnings, and the values that all readers share."""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any

import orjson

from banks.retain.input import GivenMessage, RetainItem
from retrieval.filters.tags import UNDER_SEVERAL

LONGEST_NAME = 150
LONGEST_TAG, LONGEST_KEY, LONGEST_VALUE = 200, 100, 500
MOST_LABELS = 50
MOST_UNPACKED = 100_000_000  # bytes of an archive's files
MOST_FILES = 20_000
BETWEEN_TURNS = timedelta(seconds=30)  # where a session is dated and its turns are not
EARLIEST, LATEST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)


class UnreadableUpload(Exception):
    """The upload can't be imported. The text is for the person who uploaded it."""


@dataclass(frozen=True)
class Upload:
    """`format` is a name of `formats.FORMATS`. `rows` counts the lines of a bank's export, which has no items."""

    format: str
    items: tuple[RetainItem, ...] = ()
    warnings: tuple[str, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)

    @property
    def conversations(self) -> list[RetainItem]:
        return [item for item in self.items if item.messages]

    @property
    def documents(self) -> list[RetainItem]:
        return [item for item in self.items if item.text]

    @property
    def message_count(self) -> int:
        return sum(len(item.messages) for item in self.items)

    @property
    def memory_count(self) -> int:
        return sum(len(item.facts) for item in self.items)

    @property
    def read_characters(self) -> int:
        """Characters from which memories are extracted."""
        read = [item for item in self.items if item.infer]
        return sum(len(item.text) + sum(len(one.content) for one in item.messages) for item in read)

    @property
    def character_count(self) -> int:
        return sum(
            len(item.text) + sum(len(one.content) for one in item.messages) + sum(len(fact.text) for fact in item.facts)
            for item in self.items
        )

    @property
    def dates(self) -> tuple[datetime, datetime] | None:
        """The first and the last date that the file itself gives."""
        found = [item.said_at for item in self.items if item.is_dated]
        found += [one.said_at for item in self.items if item.is_dated for one in item.messages]
        found += [fact.mentioned_at for item in self.items if item.is_dated for fact in item.facts]
        return (min(found), max(found)) if found else None


def read_json(body: bytes) -> Any:
    """The standard library also reads what orjson refuses: halves of surrogate pairs, which some exports have."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise UnreadableUpload(f"This is no valid JSON: {fault}.") from None


def clean(text: object) -> str:
    """Without the characters that Postgres does not store: null bytes, and halves of surrogate pairs."""
    return str(text).replace("\x00", "").encode(errors="replace").decode() if text is not None else ""


def cut(text: object, most: int) -> str:
    return clean(text).strip()[:most]


def read_moment(written: object) -> datetime | None:
    """ISO 8601, or seconds since 1970. A time without a zone is UTC. None where it is neither."""
    try:
        if isinstance(written, int | float) and not isinstance(written, bool):
            found = datetime.fromtimestamp(written, UTC)
        else:
            found = datetime.fromisoformat(str(written))
    except (ValueError, OverflowError, OSError):
        return None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return found if EARLIEST < found < LATEST else None


def read_tags(written: object) -> tuple[str, ...]:
    """Without reserved tags: the platform alone sets them, and retain would refuse them."""
    given = [cut(tag, LONGEST_TAG) for tag in written] if isinstance(written, list) else []
    return tuple(dict.fromkeys(tag for tag in given if tag and not tag.startswith(UNDER_SEVERAL)))[:MOST_LABELS]


def read_metadata(written: object) -> dict[str, str]:
    """Nested values become JSON."""
    if not isinstance(written, Mapping):
        return {}
    pairs = [(cut(key, LONGEST_KEY), value) for key, value in written.items() if value is not None]
    return {
        key: cut(value if isinstance(value, str) else orjson.dumps(value, default=str).decode(), LONGEST_VALUE)
        for key, value in pairs[:MOST_LABELS]
        if key
    }


def build_conversation(thread: str, messages: list[GivenMessage], *, context: str = "") -> RetainItem | None:
    if not messages:
        return None
    return RetainItem(messages[0].said_at, messages=tuple(messages), thread=cut(thread, 200), context=cut(context, 500))


def name_document(name: str, body: bytes) -> str:
    """The file's name, or a name for a pasted text, the same for the same text."""
    found = cut(PurePath(name).name, LONGEST_NAME)
    return found or f"pasted-{hashlib.sha256(body).hexdigest()[:12]}"


def open_archive(body: bytes) -> zipfile.ZipFile:
    """An archive whose files can be read: bounded in number and size, and not encrypted."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(body))
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise UnreadableUpload("This archive is broken: it can't be unpacked.") from None
    files = archive.infolist()
    if len(files) > MOST_FILES or sum(one.file_size for one in files) > MOST_UNPACKED:
        raise UnreadableUpload(f"Unpacked, this archive is larger than {MOST_UNPACKED // 1_000_000} MB.")
    return archive


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The size in the directory of an archive may be wrong, so reading stops at the limit too."""
    try:
        with archive.open(name) as file:
            content = file.read(MOST_UNPACKED + 1)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError, ValueError):
        raise UnreadableUpload("This archive is broken or encrypted: it can't be unpacked.") from None
    if len(content) > MOST_UNPACKED:
        raise UnreadableUpload(f"Unpacked, this archive is larger than {MOST_UNPACKED // 1_000_000} MB.")
    return content


def find_members(archive: zipfile.ZipFile, *, folder: str = "", name: str = "") -> Iterator[str]:
    for path in sorted(archive.namelist()):
        parts = PurePath(path)
        if (not name or parts.name == name) and (not folder or parts.parent.name == folder) and parts.suffix:
            yield path
