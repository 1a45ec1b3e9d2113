"""Reading an export as JSON lines, and splitting a file into the parts of an import."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from memoryplatform_client.errors import ConnectionFailed

END = b'"type":"end"'  # the service writes it at the beginning of the last line
LARGEST_PART = 4 * 1024 * 1024  # bytes: well below the service's limit of a request


class LineReader:
    """Splits at line feeds only: other line breaks may be part of a text."""

    def __init__(self) -> None:
        self._rest = b""
        self._last = b""

    def read(self, piece: bytes) -> Iterator[bytes]:
        *whole, self._rest = (self._rest + piece).split(b"\n")
        for line in whole:
            if line:
                self._last = line
                yield line

    def check_end(self) -> None:
        if END not in self._last[:40]:
            raise ConnectionFailed("The export ended before it was complete.")


@dataclass(frozen=True)
class Part:
    """Some whole lines of a file. `first_line` is the number of the first one in the file, from 1."""

    first_line: int
    body: bytes

    @property
    def next_line(self) -> int:
        return self.first_line + self.body.count(b"\n")


def take_header(lines: Iterator[bytes | str]) -> Part | None:
    """The first line that is not blank, with the blank lines before it. None for a file without such a line."""
    held: list[bytes] = []
    for line in lines:
        held.append(strip_break(line))
        if held[-1].strip():
            return Part(1, b"\n".join(held) + b"\n")
    return None


def cut_parts(lines: Iterator[bytes | str], *, first: int) -> Iterator[Part]:
    """Group whole lines into parts of at most `LARGEST_PART` bytes. The given lines may end in line breaks or not."""
    held, size = list[bytes](), 0
    for line in lines:
        text = strip_break(line)
        if held and size + len(text) > LARGEST_PART:
            part = Part(first, b"\n".join(held) + b"\n")
            yield part
            first, held, size = part.next_line, [], 0
        held.append(text)
        size += len(text) + 1
    if held:
        yield Part(first, b"\n".join(held) + b"\n")


def strip_break(line: bytes | str) -> bytes:
    return (line.encode() if isinstance(line, str) else line).rstrip(b"\r\n")


def split_banks(lines: Iterator[bytes | str]) -> Iterator[tuple[str, Iterator[bytes | str]]]:
    """The files of the banks in the file of a tenant, by the bank's id. Lines that are not read are passed over."""
    for line in lines:
        if find_type(line) != "header" or not (bank_id := json.loads(line).get("bank_id")):
            continue
        held = chain([line], take_bank(lines))
        yield bank_id, held
        deque(held, maxlen=0)


def take_bank(lines: Iterator[bytes | str]) -> Iterator[bytes | str]:
    for line in lines:
        yield line
        if find_type(line) == "end":
            return


def find_type(line: bytes | str) -> str:
    """The service writes the type first. A row may have a field of that name too."""
    start = strip_break(line)[:40]
    return next((kind for kind in ("header", "end") if start.startswith(b'{"type":"%s"' % kind.encode())), "")
