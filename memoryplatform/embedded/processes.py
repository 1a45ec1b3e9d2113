"""The process tree of `up`: its members, the order of their stop, and the leftovers of an earlier run."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from enum import IntEnum
from itertools import chain
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

import psutil

from memoryplatform.embedded.child import POLL_SECONDS, Child, Command, Sink
from memoryplatform.embedded.errors import Interrupted, StartError
from memoryplatform.embedded.supervision import Running, Supervisor, format_exit

STOP_REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 10.0
MARK = "MEMORYPLATFORM_UP"  # in the environment of web and workers: the data folder they belong to


class Stage(IntEnum):
    """The order of the start. The stop runs backwards, so that no process outlives a service that it needs."""

    DATABASE = 1
    BROKER = 2
    WORKERS = 3
    WEB = 4


class Processes:
    """A context that stops every member on exit, stage by stage, also after an error.

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
        """Watch the members from here on, and stop them at the end."""
        self._members[stage].extend(members)

    def run(self, command: Command, sink: Sink) -> str:
        """Run the command to its end and return its last lines. A status other than 0 raises StartError."""
        child = Child(command, sink)
        try:
            while (status := child.exit_status()) is None:
                self._pause()
        finally:
            child.ask_to_stop()
            child.ensure_stopped()
        if status != 0:
            raise StartError(f"{command.name} failed with {format_exit(status)}; it said:\n{child.last_lines()}")
        return child.last_lines()

    def wait_until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise StartError(f"{what} after {seconds:.0f} s.")
            self._pause()

    def supervise(self, say: Callable[[str], None]) -> None:
        """Start dead members again until a signal asks for the end (Interrupted) or one keeps dying (StartError)."""
        supervisor = Supervisor(say)
        while True:
            self._check_request()
            for member in self._list_members():
                supervisor.look_after(member)
            time.sleep(POLL_SECONDS)

    def _pause(self) -> None:
        """During the start nothing is started again: a member that dies ends the start (StartError)."""
        self._check_request()
        for member in self._list_members():
            if (status := member.exit_status()) is not None:
                raise StartError(
                    f"{member.name} ended by itself with {format_exit(status)}; its last lines:\n{member.last_lines()}"
                )
        time.sleep(POLL_SECONDS)

    def _check_request(self) -> None:
        if self._stop_requested:
            raise Interrupted

    def _list_members(self) -> Iterator[Running]:
        return chain.from_iterable(self._members.values())

    def _note_request(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_requested = True


def stop_together(members: list[Running]) -> None:
    with ExitStack() as stack:
        for member in members:
            stack.callback(member.ensure_stopped)
        for member in members:
            member.ask_to_stop()


def stop_servers_in(folder: Path, program: str, signals: Sequence[signal.Signals]) -> None:
    """Stop every process of that program whose working directory is the folder.

    Postgres and Redis make their data folder their working directory. Unlike a pid file this can't name a process
    that merely got the same number later, and it finds the backends that a killed postmaster left behind.
    """
    home = str(folder.resolve())
    servers = psutil.process_iter(["name", "cwd"])
    stop([server for server in servers if server.info["name"] == program and server.info["cwd"] == home], signals)


def stop_marked(folder: Path) -> None:
    """Stop web and workers of that data folder. Call while holding its lock: they are leftovers of a killed run then.

    On Linux they end by themselves soon after their parent, elsewhere they don't.
    """
    others = [process for process in psutil.process_iter(["environ"]) if process.pid != os.getpid()]
    stop([other for other in others if (other.info["environ"] or {}).get(MARK) == str(folder)], [signal.SIGTERM])


def stop(processes: list[psutil.Process], signals: Sequence[signal.Signals]) -> None:
    """Signal the topmost of these processes, with one signal after the other, until all are gone."""
    for number in (*signals, signal.SIGKILL):
        pids = {process.pid for process in processes}
        for process in processes:
            try:
                if process.ppid() not in pids:
                    process.send_signal(number)
            except psutil.NoSuchProcess:
                continue
        _, processes = psutil.wait_procs(processes, timeout=GRACE_SECONDS)
