"""Where the command `memoryplatform` begins. Only the extra brings what draws tables, so its absence is told here."""

import importlib.util
import sys
from collections.abc import Sequence

NEEDED = ("rich", "platformdirs")
MISSING_EXTRA = 2


def main(arguments: Sequence[str] | None = None) -> int:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        install = 'pip install "memoryplatform-client[cli]"'
        sys.stderr.write(f"The command line needs {' and '.join(missing)}: {install}\n")
        return MISSING_EXTRA
    from memoryplatform_client.cli.program import run

    return run(sys.argv[1:] if arguments is None else arguments)
