"""Dead members of the process tree are started again, with waits that grow while they keep dying."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from memoryplatform.embedded.errors import StartError

MOST_RESTARTS = 5  # in a row: after 0, 1, 2, 4 and 8 seconds
FORGIVEN_AFTER_SECONDS = 60.0  # a member that ran this long did not fail to start


class Running(Protocol):
    @property
    def name(self) -> str: ...
    def exit_status(self) -> int | None: ...
    def last_lines(self) -> str: ...
    def ask_to_stop(self) -> None: ...
    def ensure_stopped(self) -> None: ...
    def restart(self) -> None: ...


@dataclass
class Record:
    """The deaths of a member in a row, and the time of its next start while it is dead."""

    started_at: float
    deaths: int = 0
    restart_at: float | None = None


class Supervisor:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._records: dict[str, Record] = {}

    def look_after(self, member: Running) -> None:
        """Start a dead member again when its wait is over. Raises StartError if it keeps dying."""
        record = self._records.setdefault(member.name, Record(time.monotonic()))
        status = member.exit_status()
        if status is None:
            return
        if record.restart_at is None:
            self._note_death(member, record, status)
        elif time.monotonic() >= record.restart_at:
            member.restart()
            record.started_at, record.restart_at = time.monotonic(), None

    def _note_death(self, member: Running, record: Record, status: int) -> None:
        now = time.monotonic()
        if now - record.started_at > FORGIVEN_AFTER_SECONDS:
            record.deaths = 0
        record.deaths += 1
        if record.deaths > MOST_RESTARTS:
            raise StartError(
                f"{member.name} ended {record.deaths} times in a row, at last with {format_exit(status)}; "
                f"its last lines:\n{member.last_lines()}"
            )
        wait = 0 if record.deaths == 1 else 2 ** (record.deaths - 2)
        when = f" in {wait} s" if wait else ""
        self._say(f"{member.name} ended with {format_exit(status)}; starting it again{when}.")
        record.restart_at = now + wait


def format_exit(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
