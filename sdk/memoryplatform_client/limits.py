"""How long somebody waits, over all that is sent and paused meanwhile."""

import math
import time
from dataclasses import dataclass

SHORTEST_REQUEST = 1.0  # seconds: what is asked at the very end can still be answered


@dataclass(frozen=True)
class Limit:
    """`seconds` is what the caller gave; None for as long as it takes. `end` is on the clock of `time.monotonic`."""

    seconds: float | None
    end: float

    @property
    def left(self) -> float:
        return max(0.0, self.end - time.monotonic())

    @property
    def of_a_request(self) -> float:
        return max(SHORTEST_REQUEST, self.left)


FOREVER = Limit(None, math.inf)


def within(seconds: float | None) -> Limit:
    return FOREVER if seconds is None else Limit(seconds, time.monotonic() + seconds)
