"""A caller's time limit, which covers all requests and pauses of a plan."""

import math
import time
from dataclasses import dataclass

SHORTEST_REQUEST = 1.0  # seconds, so that even the last request can be answered


@dataclass(frozen=True)
class Limit:
    """`seconds`: the caller's timeout, None for no limit. `end`: its deadline on the clock of `time.monotonic`."""

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
