"""What the embedded Postgres and Redis have in common: a folder, one child process, and a moment when it is ready."""

import time
from abc import ABC, abstractmethod
from pathlib import Path

from memoryplatform.embedded.child import POLL_SECONDS, Child, Command, Sink, discard
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.scratch import Scratch

# Recovery after a power cut takes some seconds; a slow disk may need far longer.
READY_SECONDS = 120.0


class EmbeddedServer(ABC):
    """One at a time for a folder: a start takes any other server found in it for a leftover, and stops it."""

    name: str

    def __init__(self, folder: Path, *, sink: Sink = discard) -> None:
        self._folder = folder.resolve()
        self._sink = sink
        self._scratch = Scratch(self._folder)
        self._child: Child | None = None
        self._ready = False

    @abstractmethod
    def launch(self) -> None:
        """Start the process and return at once. It takes connections when `is_ready`."""

    @abstractmethod
    def find_fault(self) -> str | None:
        """Why it does not take connections yet; None when it does."""

    def start(self) -> None:
        try:
            self.launch()
            self._wait_ready()
        except BaseException:
            self.stop()
            raise

    def is_ready(self) -> bool:
        child = self._running()
        self._ready = self.find_fault() is None
        if not self._ready and (status := child.exit_status()) is not None:
            raise StartError(f"{self.name} does not start (status {status}); it said:\n{child.last_lines()}")
        return self._ready

    def stop(self) -> None:
        self.ask_to_stop()
        self.ensure_stopped()

    def ask_to_stop(self) -> None:
        self._ready = False
        if self._child is not None:
            self._child.ask_to_stop()

    def ensure_stopped(self) -> None:
        if self._child is not None:
            self._child.ensure_stopped()
            self._child = None
        self._scratch.clear()

    def exit_status(self) -> int | None:
        return self._running().exit_status()

    def last_lines(self) -> str:
        return self._running().last_lines()

    @property
    def pid(self) -> int:
        return self._running().pid

    def _launch(self, command: Command) -> None:
        self._ready = False
        self._child = Child(command, self._forward)

    def _forward(self, name: str, line: str) -> None:
        """What a server says while it starts or stops is told only if the start fails."""
        if self._ready:
            self._sink(name, line)

    def _running(self) -> Child:
        if self._child is None:
            raise RuntimeError(f"{self.name} has not been started.")
        return self._child

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise StartError(f"{self.name} is not ready after {READY_SECONDS:.0f} s: {self.find_fault()}")
            time.sleep(POLL_SECONDS)
