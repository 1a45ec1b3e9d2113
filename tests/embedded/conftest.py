import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest


@pytest.fixture
def place() -> Iterator[Path]:
    """A short path, because Unix sockets want one, that the unprivileged account may pass through under root."""
    path = Path(tempfile.mkdtemp(prefix="mp-", dir="/tmp"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def running_in() -> Callable[[Path], list[str]]:
    """The names of processes that work somewhere below a folder."""

    def find(folder: Path) -> list[str]:
        below = f"{folder.resolve()}{os.sep}"
        processes = psutil.process_iter(["name", "cwd"])
        return sorted(
            process.info["name"] for process in processes if f"{process.info['cwd'] or ''}{os.sep}".startswith(below)
        )

    return find
