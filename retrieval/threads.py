"""Work beside the caller's thread. A connection is held for a statement and then goes back to the pool."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from threading import get_ident
from typing import Any, TypeVar

from django.db import connection

from providers.once import Once

T = TypeVar("T")
THREADS = 8  # of all recalls in the process; the pool of connections must have room for them and the callers


class SerialExecutor(Executor):
    """Does the work when it is submitted: for those whose rows other connections can't see yet."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  # a future keeps whatever it was
            future.set_exception(error)
        return future


def get_executor() -> Executor:
    return EXECUTOR.get()


def start(executor: Executor, work: Callable[[], T]) -> Future[T]:
    """Tasks may wait for tasks that were started before them, never for later ones: the pool works in that order."""
    caller = get_ident()

    def work_and_let_go() -> T:
        try:
            return work()
        finally:
            if get_ident() != caller:
                connection.close()

    return executor.submit(work_and_let_go)


EXECUTOR: Once[Executor] = Once(lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="recall"))
