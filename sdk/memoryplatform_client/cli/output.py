"""Output: results on standard output, everything else on standard error.

On a terminal, results are tables with colours. In a pipe, each row is a line with tabs between its cells, for tools
such as `cut` and `grep`.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from memoryplatform_client.cli.plain_text import harmless, in_one_line


class Bar(Protocol):
    def __call__(self, *, done: float | None = None, total: float | None = None, stage: str | None = None) -> None: ...


class Output:
    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._out = Console(file=sys.stdout, highlight=False)
        self._notes = Console(file=sys.stderr, highlight=False)

    @property
    def is_terminal(self) -> bool:
        return self._out.is_terminal

    def json(self, value: Any) -> None:
        is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        sys.stdout.write(json.dumps(as_data(value), indent=2, ensure_ascii=not is_unicode) + "\n")

    def line(self, text: str = "", style: str = "") -> None:
        if self.is_terminal:
            self._out.print(Text(harmless(text), style))
        else:
            sys.stdout.write(f"{harmless(text)}\n")

    def piece(self, text: str) -> None:
        """Write a piece of a streamed text."""
        sys.stdout.write(harmless(text))
        sys.stdout.flush()

    def heading(self, text: str) -> None:
        self.line()
        self.line(text, "bold")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        cells = [[in_one_line("" if cell is None else str(cell)) for cell in row] for row in rows]
        if not self.is_terminal:
            sys.stdout.write("".join("\t".join(row) + "\n" for row in cells))
            return
        drawn = Table(*columns, box=None, pad_edge=False, header_style="bold")
        for row in cells:
            drawn.add_row(*(Text(cell) for cell in row))
        self._out.print(drawn)

    def note(self, text: str, style: str = "") -> None:
        """Write a message to standard error."""
        self._notes.print(Text(harmless(text), style), soft_wrap=True)

    def prompt(self, text: str) -> None:
        """Write to standard error without a line break, before a line is read from the terminal."""
        sys.stderr.write(text)
        sys.stderr.flush()

    def json_note(self, value: Any) -> None:
        sys.stderr.write(json.dumps(as_data(value)) + "\n")

    @contextmanager
    def progress(self, description: str, total: float | None = None) -> Iterator[Bar]:
        """Show a progress bar on a terminal."""
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        shown = Progress(
            *columns,
            TimeRemainingColumn(),
            console=self._notes,
            transient=True,
            disable=not self._notes.is_terminal,
        )
        with shown:
            task = shown.add_task(in_one_line(description), total=total)

            def move(*, done: float | None = None, total: float | None = None, stage: str | None = None) -> None:
                text = None if stage is None else in_one_line(f"{description} {stage}")
                shown.update(task, completed=done, total=total, description=text)

            yield move


def as_data(value: Any) -> Any:
    """Of a response the fields that the service sent."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, dict):
        return {name: as_data(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(one) for one in value]
    return value
