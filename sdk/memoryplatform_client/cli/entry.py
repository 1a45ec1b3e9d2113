"""Start of the command. It reports a missing extra `cli`, which brings the library that draws tables."""

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from memoryplatform_client.cli.exits import Exit

NEEDED = ("rich", "platformdirs")


def main(arguments: Sequence[str] | None = None) -> int:
    open_what_is_closed()
    try:
        return begin(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # before a command runs; later the command reports it itself
        sys.stderr.write("Interrupted.\n")
        return Exit.INTERRUPTED


def open_what_is_closed() -> None:
    """Replace streams that the shell closed (`>&-`), which are None in Python, by /dev/null."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open while it runs


def begin(arguments: Sequence[str]) -> int:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        install = 'pip install "memoryplatform-client[cli]"'
        sys.stderr.write(f"The command line needs {' and '.join(missing)}: {install}\n")
        return Exit.USAGE
    from memoryplatform_client.cli.program import run

    return run(arguments)
