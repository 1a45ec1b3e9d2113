"""Where the command `memoryplatform` begins: outside of the package, because to import it takes most of a start.

Who interrupts that is told what he is told later.
"""

import sys

INTERRUPTED = 130  # 128 + SIGINT


def main() -> int:
    try:
        from memoryplatform_client.cli.entry import main as begin
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return INTERRUPTED
    return begin()
