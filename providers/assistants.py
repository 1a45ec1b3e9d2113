from concurrent.futures import ThreadPoolExecutor
from typing import Protocol


class SharedWork(Protocol):
    """Pieces that any number of threads work off together: each takes the next that is left."""

    def work(self) -> None: ...

    def stop(self) -> None:
        """No further piece is taken."""


class Assistants:
    """Threads that help a caller. Its own thread works too, so it never waits for those that are busy with another."""

    def __init__(self, count: int, *, name: str) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(max(1, count), thread_name_prefix=name)

    def work_off(self, shared: SharedWork, *, pieces: int) -> None:
        """What went wrong in any of the threads is raised."""
        assistants = [self._pool.submit(shared.work) for _ in range(min(self._count, pieces - 1))]
        try:
            shared.work()
        finally:
            shared.stop()
            started = [assistant for assistant in assistants if not assistant.cancel()]
        for assistant in started:
            assistant.result()
