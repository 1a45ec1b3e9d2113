"""The process tree of `up`: what runs, in which order it stops, and what ends it."""

import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from enum import IntEnum
from itertools import chain
from types import FrameType, TracebackType
from typing import Protocol, Self

from memoryplatform.embedded.child import POLL_SECONDS, Child, Command, Sink
from memoryplatform.embedded.errors import Interrupted, StartError

STOP_REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stage(IntEnum):
    """The order of the start; the stop goes the other way, so that nothing outlives what it needs."""

    DATABASE = 1
    BROKER = 2
    WORKERS = 3
    WEB = 4


class Running(Protocol):
    @property
    def name(self) -> str: ...
    def exit_status(self) -> int | None: ...
    def last_lines(self) -> str: ...
    def ask_to_stop(self) -> None: ...
    def ensure_stopped(self) -> None: ...


class Processes:
    """As a context: on leaving it, however that happens, everything is stopped, stage by stage.

    Signals only leave a note, read between two steps. An exception out of a signal handler could come between
    the start of a child and the line that remembers it.
    """

    def __init__(self) -> None:
        self._members: dict[Stage, list[Running]] = {stage: [] for stage in Stage}
        self._stack = ExitStack()
        self._stop_requested = False

    def __enter__(self) -> Self:
        for number in STOP_REQUESTS:
            self._stack.callback(signal.signal, number, signal.signal(number, self._note_request))
        for stage in Stage:
            self._stack.callback(stop_together, self._members[stage])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, stage: Stage, *members: Running) -> None:
        """Watch them from here on, and stop them at the end."""
        self._members[stage].extend(members)

    def run(self, command: Command, sink: Sink) -> str:
        """Run to its end and return its last lines; a status other than 0 is a StartError."""
        child = Child(command, sink)
        try:
            while (status := child.exit_status()) is None:
                self._pause()
        finally:
            child.ask_to_stop()
            child.ensure_stopped()
        if status != 0:
            raise StartError(f"{command.name} failed with {describe(status)}; it said:\n{child.last_lines()}")
        return child.last_lines()

    def wait_until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise StartError(f"{what} after {seconds:.0f} s.")
            self._pause()

    def wait_for_request(self) -> None:
        """Until a signal asks for the end, which is an Interrupted, or a child dies, which is a StartError."""
        while True:
            self._pause()

    def _pause(self) -> None:
        self._check()
        time.sleep(POLL_SECONDS)

    def _check(self) -> None:
        if self._stop_requested:
            raise Interrupted
        for member in chain.from_iterable(self._members.values()):
            if (status := member.exit_status()) is not None:
                raise StartError(
                    f"{member.name} ended by itself with {describe(status)}; its last lines:\n{member.last_lines()}"
                )

    def _note_request(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_requested = True


def stop_together(members: list[Running]) -> None:
    with ExitStack() as stack:
        for member in members:
            stack.callback(member.ensure_stopped)
        for member in members:
            member.ask_to_stop()


def describe(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
