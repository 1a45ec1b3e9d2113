"""What a script learns from the exit code."""

from enum import IntEnum


class Exit(IntEnum):
    DONE = 0
    FAILED = 1  # the service refused or failed, or did only part of it
    USAGE = 2  # what argparse uses as well
    NOT_FOUND = 3
    DENIED = 4
    UNREACHABLE = 5
    INTERRUPTED = 130  # 128 + SIGINT
    PIPE_CLOSED = 141  # 128 + SIGPIPE
