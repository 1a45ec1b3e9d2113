"""A file of JSON lines, as it comes in and as it goes out."""

from collections.abc import Iterator
from dataclasses import dataclass

from memoryplatform_client.errors import ConnectionFailed

END = b'"type":"end"'  # how the service writes it, at the beginning of the last line
LARGEST_PART = 4 * 1024 * 1024  # bytes: well below what a request may have


class LineReader:
    """Splits at line feeds alone: other breaks may stand in a text."""

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
    """`first_line` is its number in the whole file, from 1."""

    first_line: int
    body: bytes

    @property
    def next_line(self) -> int:
        return self.first_line + self.body.count(b"\n")


def take_header(lines: Iterator[bytes | str]) -> Part | None:
    """The first line that is not blank, with those before it. None of a file that has none."""
    held: list[bytes] = []
    for line in lines:
        held.append(strip_break(line))
        if held[-1].strip():
            return Part(1, b"\n".join(held) + b"\n")
    return None


def cut_parts(lines: Iterator[bytes | str], *, first: int) -> Iterator[Part]:
    """Whole lines, as many as a request may have. Breaks at their ends may stand there or not."""
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
