from collections import deque
from dataclasses import dataclass, field
from statistics import median_high
from threading import Lock
from time import monotonic
from typing import Self

REMEMBERED = 15  # pieces of work whose median is the pace: a stall or two among them change nothing
# A machine that was slow for long may be quick again. Where the pace keeps anything from being tried, the prediction
# sinks by a tenth a call, until something is tried.
HOPE = 0.9


@dataclass(frozen=True)
class TimeBox:
    ends: float | None

    @classmethod
    def starting_now(cls, seconds: float | None) -> Self:
        return cls(None if seconds is None else monotonic() + seconds)

    def has_room_for(self, seconds: float) -> bool:
        return self.ends is None or monotonic() + seconds < self.ends


@dataclass
class Pace:
    """Seconds for a unit of work, learnt from what was done by all calls in this process.

    A prediction that is too low makes a box late by one piece of work; one that is too high leaves passages unscored.
    """

    _seen: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _seconds: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def predict(self, work: float) -> float:
        return self._seconds * work

    def learn(self, work: float, seconds: float) -> None:
        with self._lock:
            self._seen.append(seconds / work)
            self._seconds = median_high(self._seen)

    def hope(self) -> None:
        with self._lock:
            self._seconds *= HOPE
