"""Processes of an earlier run that was killed too hard to stop them."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import psutil

GRACE_SECONDS = 10.0
MARK = "MEMORYPLATFORM_UP"  # in the environment of web and workers: the data folder they belong to


def stop_servers_in(folder: Path, program: str, signals: Sequence[signal.Signals]) -> None:
    """Stop every process of that program that works in the folder.

    Postgres and Redis make their data folder their working directory. Unlike a pid file this can't name a process
    that merely got the same number later, and it finds the backends that a killed postmaster left behind.
    """
    home = str(folder.resolve())
    servers = list_processes("name", "cwd")
    stop([server for server in servers if server.info["name"] == program and server.info["cwd"] == home], signals)


def stop_marked(folder: Path) -> None:
    """Stop web and workers of that data folder. Call while holding its lock: then nobody needs them any more.

    On Linux they end by themselves soon after their parent; elsewhere nothing tells them.
    """
    others = [process for process in list_processes("environ") if process.pid != os.getpid()]
    stop([other for other in others if (other.info["environ"] or {}).get(MARK) == str(folder)], [signal.SIGTERM])


def list_processes(*facts: str) -> list[psutil.Process]:
    return list(psutil.process_iter(list(facts)))


def stop(processes: list[psutil.Process], signals: Sequence[signal.Signals]) -> None:
    """Signal those whose parent is not among them, ever harder, until all are gone."""
    for number in (*signals, signal.SIGKILL):
        pids = {process.pid for process in processes}
        for process in processes:
            try:
                if process.ppid() not in pids:
                    process.send_signal(number)
            except psutil.NoSuchProcess:
                continue
        _, processes = psutil.wait_procs(processes, timeout=GRACE_SECONDS)
