from collections import deque
from dataclasses import dataclass, field
from statistics import median_high
from threading import Lock

REMEMBERED = 15  # measurements whose median is the pace: one or two stalls among them change nothing
# A machine that was slow for long may be fast again. While the pace allows no attempt, the prediction sinks by a tenth
# with each call.
HOPE = 0.9


@dataclass
class Pace:
    """Seconds for a unit of work, learnt from all calls of this process.

    A prediction that is too low makes a call late by one passage; one that is too high leaves passages unscored.
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
