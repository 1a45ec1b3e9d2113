"""What the command does first. Only the extra brings what draws tables, so its absence is told here."""

import importlib.util
import sys
from collections.abc import Sequence

from memoryplatform_client.cli.exits import Exit

NEEDED = ("rich", "platformdirs")


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return begin(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # before a command is carried out, which tells it itself
        sys.stderr.write("Interrupted.\n")
        return Exit.INTERRUPTED


def begin(arguments: Sequence[str]) -> int:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        install = 'pip install "memoryplatform-client[cli]"'
        sys.stderr.write(f"The command line needs {' and '.join(missing)}: {install}\n")
        return Exit.USAGE
    from memoryplatform_client.cli.program import run

    return run(arguments)
