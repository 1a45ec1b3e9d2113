import os
import re
from pathlib import Path

from memoryplatform.embedded.account import Account
from memoryplatform.embedded.scratch import Scratch

# sun_path holds 104 bytes on macOS and 108 on Linux, with a closing zero; some room is left for a lock's suffix.
MAX_SOCKET_PATH = 98
# What configuration files of Postgres and Redis take without escapes.
PLAIN = re.compile(r"[\w./ -]+")


def choose_socket_folder(wanted: Path, socket_name: str, *, scratch: Scratch, account: Account | None) -> Path:
    """`wanted`, or a private temporary folder where a socket in it would have too long or too odd a path."""
    path = wanted / socket_name
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH and PLAIN.fullmatch(str(path)):
        return wanted
    return scratch.make(account)
