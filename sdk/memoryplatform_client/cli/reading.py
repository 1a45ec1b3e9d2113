"""Texts from files, folders and standard input."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from memoryplatform_client.cli.failures import BadUsage, CommandFailed
from memoryplatform_client.cli.plain_text import in_one_line

LARGEST = 8 * 1024 * 1024  # bytes: a request is limited to 10 MB, and JSON escapes lengthen a text


@dataclass(frozen=True)
class Source:
    """`name`: the document id, empty for a text without one."""

    name: str
    text: str


@dataclass(frozen=True)
class NotRead:
    name: str
    reason: str


def read_stdin() -> Source:
    if sys.stdin.isatty():
        raise BadUsage("Give a text, --file, --folder, or something on standard input.")
    text = decode(sys.stdin.buffer.read())
    if text is None:
        raise CommandFailed("Standard input is no UTF-8 text.")
    return Source("", text)


def read_file(path: Path, name: str) -> Source | NotRead:
    """Raises for an unreadable file. Returns NotRead for a file whose content or name is no UTF-8 text."""
    if not is_text(name):
        return NotRead(in_one_line(name), "Its name is no UTF-8 text.")
    if path.stat().st_size > LARGEST:
        return NotRead(name, f"It is larger than {LARGEST // 1024 // 1024} MB.")
    text = decode(path.read_bytes())
    if text is None:
        return NotRead(name, "It is no UTF-8 text.")
    return Source(name, text) if text.strip() else NotRead(name, "It is empty.")


def is_text(name: str) -> bool:
    """Python represents undecodable bytes of a file name as lone surrogates, which can't be sent."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def decode(content: bytes) -> str | None:
    """None for binary content. A NUL byte counts as binary, because Postgres can't store it."""
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def read_folder(folder: Path, patterns: Sequence[str]) -> Iterator[Source | NotRead]:
    """Sorted by path. Hidden files and links are skipped: a link may lead out of the folder."""
    if not folder.is_dir():
        raise BadUsage(f"{folder} is no folder.")
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_hidden = any(part.startswith(".") for part in name.split("/"))
        if is_hidden or leads_away(folder, path) or not path.is_file():
            continue
        if not patterns or any(fnmatch(name, pattern) or fnmatch(path.name, pattern) for pattern in patterns):
            yield read_file(path, name)


def leads_away(folder: Path, path: Path) -> bool:
    between = [path, *path.parents]
    return any(part.is_symlink() for part in between[: between.index(folder)])
