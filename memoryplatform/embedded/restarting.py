"""A child that may die and be started again: a lost worker is no reason to stop the service."""

import time
from collections.abc import Callable

from memoryplatform.embedded.child import Child

MOST_RESTARTS = 3
FORGIVEN_AFTER_SECONDS = 60.0  # one that ran this long has not failed to start


class RestartingChild:
    """Looks like a running child; `exit_status` is asked again and again, and that is where it is started anew."""

    def __init__(self, start: Callable[[], Child], say: Callable[[str], None]) -> None:
        self._start = start
        self._say = say
        self._child = start()
        self._started = time.monotonic()
        self._restarts = 0

    @property
    def name(self) -> str:
        return self._child.name

    @property
    def pid(self) -> int:
        return self._child.pid

    def exit_status(self) -> int | None:
        status = self._child.exit_status()
        if status is None:
            return None
        if time.monotonic() - self._started > FORGIVEN_AFTER_SECONDS:
            self._restarts = 0
        if self._restarts >= MOST_RESTARTS:
            return status
        self._say(f"{self.name} ended with status {status}; starting it again.")
        self._child.ensure_stopped()
        self._child, self._started = self._start(), time.monotonic()
        self._restarts += 1
        return None

    def last_lines(self) -> str:
        return self._child.last_lines()

    def ask_to_stop(self) -> None:
        self._child.ask_to_stop()

    def ensure_stopped(self) -> None:
        self._child.ensure_stopped()
