"""Progress of a benchmark: a bar on a terminal, otherwise a line at each tenth."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TextIO, TypeVar

T = TypeVar("T")
WIDTH = 30
TENTHS = 10


class Progress:
    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def over(self, items: Sequence[T], label: str) -> Iterator[T]:
        """Yield the items one by one and show the number of finished ones."""
        began = time.monotonic()
        for done, item in enumerate(items):
            self._show(label, done, len(items), began)
            yield item
        self._show(label, len(items), len(items), began)

    def say(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def _show(self, label: str, done: int, total: int, began: float) -> None:
        share = done / total if total else 1.0
        text = f"{label:<32} {'#' * round(share * WIDTH):<{WIDTH}} {share:4.0%} {time.monotonic() - began:6.0f} s"
        if self._stream.isatty():
            self._stream.write(f"\r{text}" + ("\n" if done == total else ""))
        elif done in marks(total):
            self._stream.write(f"{text}\n")
        self._stream.flush()


def marks(total: int) -> set[int]:
    return {max(1, total * tenth // TENTHS) for tenth in range(1, TENTHS + 1)}


def in_batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
