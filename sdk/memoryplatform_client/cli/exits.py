"""Exit codes."""

from enum import IntEnum


class Exit(IntEnum):
    DONE = 0
    FAILED = 1  # the service refused or failed, or completed only a part
    USAGE = 2  # the same as argparse
    NOT_FOUND = 3
    DENIED = 4
    UNREACHABLE = 5
    INTERRUPTED = 130  # 128 + SIGINT
    PIPE_CLOSED = 141  # 128 + SIGPIPE
