"""`up` in its own process, by `manage.py` unless told otherwise."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from memoryplatform.embedded.processes import MARK

PROJECT = Path(__file__).resolve().parents[2]
# Variables of the tests' settings, which a user would not have set.
FOREIGN = re.compile(
    r"DJANGO_|DATABASE_|REDIS_|MEMORYPLATFORM_|PROMETHEUS_|SECRET_KEY|API_KEY_SECRET|LOG_|ALLOWED_HOSTS"
)
BANNER_END = "Ctrl-C stops everything"


@dataclass
class Up:
    folder: Path
    output: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    program: tuple[str, ...] = (sys.executable, "manage.py")
    working_folder: Path = PROJECT
    processes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        return self.processes[-1]

    def launch(self) -> None:
        argv = [*self.program, "up", "--port", str(self.port), "--data-dir", str(self.folder)]
        argv += self.options
        with self.output.open("wb") as output:
            process = subprocess.Popen(
                argv,
                cwd=self.working_folder,
                env=person() | self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)

    def start(self) -> str:
        """Return the output up to the end of the banner."""
        self.launch()
        deadline = time.monotonic() + 90
        while BANNER_END not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)
        return self.said()

    def said(self) -> str:
        return self.output.read_text()

    def interrupt(self) -> int:
        """Ctrl-C: the signal goes to the whole foreground group."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(30)

    def refuse(self) -> str:
        """Run a start that must fail, and return its message."""
        self.launch()
        assert self.process.wait(60) == 1
        return self.said()

    def left_running(self) -> list[str]:
        """The command lines of the folder's processes, except `up` itself."""
        below = f"{self.folder.resolve()}{os.sep}"
        return [
            " ".join(process.info["cmdline"])
            for process in psutil.process_iter(["cmdline", "cwd", "environ"])
            if (process.info["environ"] or {}).get(MARK) == str(self.folder)
            or f"{process.info['cwd'] or ''}{os.sep}".startswith(below)
        ]


def person() -> dict[str, str]:
    """The environment of a user without any settings."""
    return {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def make_up(place: Path) -> Iterator[Up]:
    up = Up(place / "data", place / "output", free_port())
    yield up
    for process in up.processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(60)
