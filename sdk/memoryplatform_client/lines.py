"""A file of JSON lines, as it comes in and as it goes out."""

from collections.abc import Iterable, Iterator
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


def cut_parts(lines: Iterable[bytes | str]) -> Iterator[Part]:
    """Whole lines, as many as a request may have. Breaks at their ends may stand there or not."""
    first, held, size = 1, list[bytes](), 0
    for line in lines:
        text = (line.encode() if isinstance(line, str) else line).rstrip(b"\r\n")
        if held and size + len(text) > LARGEST_PART:
            yield Part(first, b"\n".join(held) + b"\n")
            first, held, size = first + len(held), [], 0
        held.append(text)
        size += len(text) + 1
    if held:
        yield Part(first, b"\n".join(held) + b"\n")
