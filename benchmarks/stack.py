"""A Postgres and a Redis for one run, deleted afterwards or kept for the next run."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.child import discard
from memoryplatform.embedded.console import Console
from memoryplatform.embedded.folder import DataFolder
from memoryplatform.embedded.processes import Processes
from memoryplatform.embedded.services import ExternalServices, start_services
from memoryplatform.embedded.up import write_environment

NOBODY_LISTENS = Address("127.0.0.1", 1)


def run_on_own_stack(arguments: Sequence[str], kept: Path | None = None) -> int:
    """Run a management command on services in the folder `kept` or in a temporary one, and return its status.

    The command runs in its own process, because the settings read the data folder at import.
    """
    with choose_place(kept) as place:
        folder = DataFolder(place)
        folder.prepare()
        with folder.lock(), Processes() as processes:
            services = start_services(folder, ExternalServices(), processes, Console(sys.stderr))
            programs = write_environment(folder, NOBODY_LISTENS, services)
            processes.run(programs.django("migrate", "--no-input"), discard)
            command = programs.django(*arguments)
            return subprocess.run(  # noqa: S603  # our own command line
                command.argv, cwd=command.cwd, env=dict(command.environment), check=False
            ).returncode


@contextmanager
def choose_place(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        yield kept
        return
    with TemporaryDirectory(prefix="mp-benchmark-", dir="/tmp") as place:  # sockets need a short path
        yield Path(place)
