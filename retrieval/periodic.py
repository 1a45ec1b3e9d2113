import logging
from collections.abc import Callable
from threading import Event, Thread

from django.db import connection

logger = logging.getLogger(__name__)


class Periodic:
    """Calls `work` periodically on a thread of its own, and a last time when it is stopped.

    An error in `work` does not end the thread.
    """

    def __init__(self, work: Callable[[], None], *, name: str, seconds_between: float) -> None:
        self._work = work
        self._name = name
        self._seconds_between = seconds_between
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        self._stop.clear()
        self._thread = Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stop.wait(self._seconds_between):
            self._work_or_log()
        self._work_or_log()

    def _work_or_log(self) -> None:
        try:
            self._work()
        except Exception:
            logger.exception("The writes of %s are lost.", self._name)
        finally:
            connection.close()
