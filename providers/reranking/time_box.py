from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Self

# What was seen last may have been a stall. Where it keeps anything from being tried, the prediction sinks by a tenth
# a call, so that one slow moment does not end all reranking.
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

    It rises at once and falls by halves: an estimate that is too low breaks a promise, one that is too high only
    leaves a passage unscored.
    """

    _seconds: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def predict(self, work: float) -> float:
        return self._seconds * work

    def learn(self, work: float, seconds: float) -> None:
        seen = seconds / work
        with self._lock:
            self._seconds = max(seen, (self._seconds + seen) / 2)

    def hope(self) -> None:
        with self._lock:
            self._seconds *= HOPE
