"""Work that may fail without failing the recall: what it gave, or what it died of."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeVar

from django.db import OperationalError
from psycopg.errors import QueryCanceled

from retrieval.lookups.nearest import NoVector

T = TypeVar("T")


@dataclass(frozen=True)
class Outcome(Generic[T]):
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
    except Exception as error:  # noqa: BLE001  # whatever a channel dies of, the answer comes without it
        return Outcome(None, error, perf_counter() - started)
    return Outcome(value, None, perf_counter() - started)


def wait(future: "Future[Outcome[T]]", *, seconds: float | None) -> Outcome[T]:
    try:
        return future.result(seconds)
    except TimeoutError as error:
        return Outcome(None, error, seconds or 0.0)


def describe_failure(error: Exception) -> str:
    """For the caller: never the error's own text, which may hold what others wrote."""
    if isinstance(error, TimeoutError) or isinstance(error.__cause__, QueryCanceled):
        return "It took longer than its share of time."
    if isinstance(error, NoVector):
        return "There is no vector of the query that could be compared with the bank's."
    if isinstance(error, OperationalError):
        return "The database did not answer."
    return f"It failed with {type(error).__name__}."
