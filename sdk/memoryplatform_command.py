"""Entry point of the command `memoryplatform`.

It lies outside the package, because importing the package takes most of the start-up time. Ctrl-C during that import
prints the same message as Ctrl-C later.

`memoryplatform up` and `memoryplatform manage` belong to the server's package, which has a command of the same name.
"""

import importlib.util
import sys

INTERRUPTED = 130  # 128 + SIGINT
OF_THE_SERVER = frozenset({"up", "manage"})


def main() -> int:
    if OF_THE_SERVER.intersection(sys.argv[1:2]) and importlib.util.find_spec("memoryplatform") is not None:
        from memoryplatform.command_line import main as run_server

        return run_server()
    try:
        from memoryplatform_client.cli.entry import main as begin
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return INTERRUPTED
    return begin()
