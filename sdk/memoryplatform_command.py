"""Entry point of the command `memoryplatform`.

It lies outside the package, because importing the package takes most of the start-up time. Ctrl-C during that import
prints the same message as Ctrl-C later.
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
