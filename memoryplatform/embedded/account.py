"""The account that Postgres runs under. Postgres refuses to run as root."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryplatform.embedded.errors import StartError

UNPRIVILEGED = "nobody"
# A server needs none of the service's secrets, and PGPORT and its like must not reach it.
SERVER_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int


def find_unprivileged_account(data: Path) -> Account | None:
    """None if the process is not root: all processes run under its own account then.

    The owner of existing data decides, so that a folder made without root still works after a start as root.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat()).st_uid != 0:
        return Account(f"user {owner.st_uid}", owner.st_uid, owner.st_gid)
    try:
        entry = pwd.getpwnam(UNPRIVILEGED)
    except KeyError:
        raise StartError(
            f"Postgres refuses to run as root and there is no user {UNPRIVILEGED}: start as another user."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def give(path: Path, account: Account | None) -> None:
    if account is not None:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def run_as(account: Account | None, argv: Sequence[str], *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with output and errors together as text."""
    return subprocess.run(  # noqa: S603 - every argv is made by this package
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=cwd,
        env=SERVER_ENVIRONMENT,
        check=False,
        start_new_session=True,
        user=None if account is None else account.uid,
        group=None if account is None else account.gid,
        extra_groups=None if account is None else [],
    )


def can_enter(account: Account | None, folder: Path) -> bool:
    """Ask the kernel under that account, so that access lists and mounts count too."""
    return account is None or run_as(account, ["test", "-x", str(folder)], cwd=Path("/")).returncode == 0
