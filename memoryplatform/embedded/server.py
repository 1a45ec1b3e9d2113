"""The common part of the embedded Postgres and Redis: a folder, a child process, a socket, a readiness check."""

import os
import re
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path

from memoryplatform.embedded.account import Account, can_enter, give
from memoryplatform.embedded.child import POLL_SECONDS, Child, Command, Sink, discard
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import write_private

# Recovery after a power cut takes some seconds, and far longer on a slow disk.
READY_SECONDS = 120.0
PREFIX = "memoryplatform-"
# sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero. The rest is for a lock file's suffix.
MAX_SOCKET_PATH = 98
# Configuration files of Postgres and Redis take these characters without escapes.
PLAIN = re.compile(r"[\w./ -]+")


class EmbeddedServer(ABC):
    """One server per folder: a start stops any other server that it finds there, as a leftover."""

    name: str

    def __init__(self, folder: Path, *, sink: Sink = discard) -> None:
        self._folder = folder.resolve()
        self._sink = sink
        self._scratch = Scratch(self._folder)
        self._child: Child | None = None
        self._ready = False

    @abstractmethod
    def launch(self) -> None:
        """Start the process and return at once. The server takes connections when `is_ready`."""

    @abstractmethod
    def remove_leftovers(self) -> None:
        """Stop other servers of the folder and remove the files of a dead one that would stop a start."""

    @abstractmethod
    def find_fault(self) -> str | None:
        """The reason why the server takes no connections yet; None when it takes them."""

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

    def restart(self) -> None:
        """Start the dead server again at the same address."""
        child = self._running()
        child.ensure_stopped()
        self.remove_leftovers()
        child.restart()

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
        """Drop the lines of the start and the stop. A failed start shows them in its error."""
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


class Scratch:
    def __init__(self, folder: Path) -> None:
        self._list = folder / "scratch"

    def make(self, account: Account | None) -> Path:
        """A new folder that only the account may enter."""
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=find_base(account)))
        write_private(self._list, "\n".join([*map(str, self._recorded()), str(path)]))
        give(path, account)
        return path

    def clear(self) -> None:
        for path in self._recorded():
            if path.name.startswith(PREFIX) and path.exists():
                shutil.rmtree(path)
        self._list.unlink(missing_ok=True)

    def _recorded(self) -> list[Path]:
        return [Path(line) for line in self._list.read_text().splitlines()] if self._list.exists() else []


def find_base(account: Account | None) -> Path:
    """Prefer `/tmp` to the environment's TMPDIR, which may be long or private to root."""
    bases = [Path("/tmp"), Path(tempfile.gettempdir())]  # noqa: S108 - mkdtemp makes a private folder in it
    for base in bases:
        if base.is_dir() and can_enter(account, base):
            return base
    raise StartError(f"No temporary folder can be used: tried {' and '.join(map(str, bases))}.")


def choose_socket_folder(wanted: Path, socket_name: str, *, scratch: Scratch, account: Account | None) -> Path:
    """`wanted`, or a private temporary folder if the path of a socket in `wanted` is too long or needs escapes."""
    path = wanted / socket_name
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH and PLAIN.fullmatch(str(path)):
        return wanted
    return scratch.make(account)
