"""Work on other threads, and its outcome: a part of a recall may fail without failing the recall.

A thread holds a connection for a statement and then returns it to the pool.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from threading import get_ident
from time import perf_counter
from typing import Generic, TypeVar

from django.db import OperationalError, connections
from psycopg.errors import QueryCanceled

from providers.once import Once
from retrieval.errors import NoVector

T = TypeVar("T")
THREADS = 8  # for all recalls of the process; the connection pool must have room for them and the callers


def get_executor() -> Executor:
    return EXECUTOR.get()


def start(executor: Executor, work: Callable[[], T]) -> Future[T]:
    """A task may wait for tasks that were started before it, never for later ones: the pool works in that order.

    It has the caller's context: the database that the recall reads, and the fields of its log lines.
    """
    caller, context = get_ident(), copy_context()

    def work_and_release_connection() -> T:
        try:
            return work()
        finally:
            if get_ident() != caller:
                connections.close_all()

    return executor.submit(context.run, work_and_release_connection)


EXECUTOR: Once[Executor] = Once(lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="recall"))


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The value of some work, or its error."""

    value: T | None
    error: Exception | None
    seconds: float

    def get(self) -> T:
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # without an error there is a value


def attempt(work: Callable[[], T]) -> Outcome[T]:
    started = perf_counter()
    try:
        value = work()
    except Exception as error:  # noqa: BLE001  # whatever a channel fails with, the answer comes without it
        return Outcome(None, error, perf_counter() - started)
    return Outcome(value, None, perf_counter() - started)


def wait(future: "Future[Outcome[T]]", *, seconds: float | None) -> Outcome[T]:
    try:
        return future.result(seconds)
    except TimeoutError as error:
        return Outcome(None, error, seconds or 0.0)


def explain_failure(error: Exception) -> str:
    """For the caller: never the error's own text, which may hold other people's words."""
    if isinstance(error, TimeoutError) or isinstance(error.__cause__, QueryCanceled):
        return "It took longer than its share of time."
    if isinstance(error, NoVector):
        return "There is no vector of the query that could be compared with the bank's."
    if isinstance(error, OperationalError):
        return "The database did not answer."
    return f"It failed with {type(error).__name__}."
