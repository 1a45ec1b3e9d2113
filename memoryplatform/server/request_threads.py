"""One thread for all steps of a request, which then serves another: to make and end one takes almost a millisecond."""

from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from asgiref.sync import ThreadSensitiveContext

T = TypeVar("T")
MOST_IDLE = 32  # more are kept while they work, not after


class RequestThread(ThreadPoolExecutor):
    def __init__(self) -> None:
        super().__init__(1, thread_name_prefix="request")
        self._given: list[Future[Any]] = []

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """What is done is let go of: a stream has thousands of steps, and each holds what it gave."""
        future = super().submit(fn, *args, **kwargs)
        self._given = [*self._list_working(), future]
        return future

    def is_free(self) -> bool:
        """Not while a step still works that nobody waits for: whoever came next would wait for it."""
        return not self._list_working()

    def _list_working(self) -> list[Future[Any]]:
        return [future for future in self._given if not future.done()]


class RequestThreads:
    """As many as there are requests at once."""

    def __init__(self) -> None:
        self._idle: list[RequestThread] = []

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        thread = self._take()
        try:
            async with ThreadSensitiveContext(executor=thread):
                yield
        finally:
            self._give_back(thread)

    def _take(self) -> RequestThread:
        try:
            return self._idle.pop()
        except IndexError:
            return RequestThread()

    def _give_back(self, thread: RequestThread) -> None:
        if thread.is_free() and len(self._idle) < MOST_IDLE:
            self._idle.append(thread)
        else:
            thread.shutdown(wait=False)
