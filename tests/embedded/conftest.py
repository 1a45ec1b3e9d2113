import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil
import pytest

Script = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def place() -> Iterator[Path]:
    yield from make_place()


def make_place() -> Iterator[Path]:
    """A short path, as Unix sockets require, that the unprivileged account can access if the tests run as root."""
    path = Path(tempfile.mkdtemp(prefix="mp-", dir="/tmp"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def shared_place() -> Iterator[Path]:
    yield from make_place()


@pytest.fixture
def run_script() -> Iterator[Script]:
    """Start Python on a script. Processes that still run at the end of the test are killed."""
    started: list[subprocess.Popen[str]] = []

    def run(
        script: str, *arguments: str, cwd: Path | None = None, extra: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            stdout=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env={**os.environ, **(extra or {})},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        with process:
            process.kill()


@pytest.fixture
def running_in() -> Callable[[Path], list[str]]:
    """The names of the processes whose working folder is below a folder."""

    def find(folder: Path) -> list[str]:
        below = f"{folder.resolve()}{os.sep}"
        processes = psutil.process_iter(["name", "cwd"])
        return sorted(
            process.info["name"] for process in processes if f"{process.info['cwd'] or ''}{os.sep}".startswith(below)
        )

    return find
