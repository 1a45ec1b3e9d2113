"""A child process in a session of its own: its output is read line by line, and its pid is enough to stop it."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memoryplatform.embedded import launch
from memoryplatform.embedded.account import Account

Sink = Callable[[str, str], None]  # name of the process, one line of its output
LAST_LINES = 12
POLL_SECONDS = 0.05


def discard(_name: str, _line: str) -> None:
    """A sink for callers that want no output. The child keeps its last lines all the same."""


@dataclass(frozen=True)
class Command:
    name: str
    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    account: Account | None = None
    # Sent in this order, `grace_seconds` apart; SIGKILL to the whole session follows. The first is sent when `up` dies.
    stop_signals: tuple[signal.Signals, ...] = (signal.SIGTERM,)
    grace_seconds: float = 10.0


class Child:
    """Start it from a thread that lives on: Linux takes the end of that thread for the end of the parent."""

    def __init__(self, command: Command, sink: Sink) -> None:
        self.name = command.name
        self._command = command
        self._sink = sink
        self._start()

    def _start(self) -> None:
        command = self._command
        self._last_lines: deque[str] = deque(maxlen=LAST_LINES)
        # A session of its own: Ctrl-C reaches the terminal's foreground group only, so that `up` decides the order.
        self._process = subprocess.Popen(  # noqa: S603 - every argv is made by this package
            launch_argv(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=command.cwd,
            env=command.environment,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._pump = threading.Thread(target=self._read, args=(self._process.stdout,), name=self.name, daemon=True)
        self._pump.start()

    def restart(self) -> None:
        """Start the dead child again. Nothing of its session is left by then."""
        self.ensure_stopped()
        self._start()

    def exit_status(self) -> int | None:
        return self._process.poll()

    def last_lines(self) -> str:
        """The last lines of the output, complete when the process has ended."""
        if self.exit_status() is not None:
            self._pump.join(timeout=1)
        return "\n".join(self._last_lines)

    def ask_to_stop(self) -> None:
        self._send(self._command.stop_signals[0])

    def ensure_stopped(self) -> None:
        """Return when the process and all others of its session are gone. Call after `ask_to_stop`."""
        for stronger in self._command.stop_signals[1:]:
            if self._ends_within(self._command.grace_seconds):
                break
            self._send(stronger)
        self._ends_within(self._command.grace_seconds)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody left; macOS: only zombies left
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._pump.join(timeout=1)

    def _send(self, number: signal.Signals) -> None:
        if self.exit_status() is None:
            self._process.send_signal(number)

    def _ends_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.exit_status() is None and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        return self.exit_status() is not None

    def _read(self, output: IO[str]) -> None:
        with output:
            for line in output:
                text = line.rstrip()
                self._last_lines.append(text)
                self._sink(self.name, text)


def launch_argv(command: Command) -> list[str]:
    uid, gid = (-1, -1) if command.account is None else (command.account.uid, command.account.gid)
    interpreter = [sys.executable, "-I", "-S", launch.__file__]
    numbers = [os.getpid(), int(command.stop_signals[0]), uid, gid]
    return [*interpreter, *map(str, numbers), *command.argv]
