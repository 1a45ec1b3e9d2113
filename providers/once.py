from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """An expensive value, loaded once at the first `get` of any thread. The next `get` repeats a failed load."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._values: list[T] = []
        self._failure: str | None = None

    def get(self) -> T:
        with self._lock:
            if not self._values:
                self._values.append(self._load_or_note())
            return self._values[0]

    @property
    def state(self) -> str:
        """Does not wait for a load that is under way."""
        if self._values:
            return "loaded"
        return f"failed: {self._failure}" if self._failure else "not loaded"

    def reset(self) -> None:
        with self._lock:
            self._values.clear()
            self._failure = None

    def _load_or_note(self) -> T:
        try:
            value = self._load()
        except Exception as error:
            self._failure = type(error).__name__
            raise
        self._failure = None
        return value
