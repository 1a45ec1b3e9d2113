"""An executor for tests and measurements that need one thread, and with it one connection."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

T = TypeVar("T")


class SerialExecutor(Executor):
    """Works at once, on the caller's thread: for callers whose rows other connections can't see yet."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  # a future keeps any error
            future.set_exception(error)
        return future
