from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic

SECONDS_KEPT = 60.0
MOST_PAIRS = 100_000  # some 200 bytes each: 20 MB


class PassedOver:
    """Pairs that a time box was over for, by their keys in the cache of pairs. Thread-safe; the oldest go first.

    For a minute a box of the same size leaves them out at once. So a question that is asked twice is answered the same
    way twice, and the second time takes no model; afterwards, and with more time, they have their chance.
    """

    def __init__(self, *, most_pairs: int = MOST_PAIRS, clock: Callable[[], float] = monotonic) -> None:
        self._most_pairs = most_pairs
        self._clock = clock
        self._noted: OrderedDict[bytes, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def note(self, keys: Iterable[bytes], *, box: float) -> None:
        until = self._clock() + SECONDS_KEPT
        with self._lock:
            for key in keys:
                self._noted[key] = (until, box)
                self._noted.move_to_end(key)
            while len(self._noted) > self._most_pairs:
                self._noted.popitem(last=False)

    def covers(self, key: bytes, *, box: float) -> bool:
        until, noted = self._noted.get(key, (0.0, 0.0))
        return box <= noted and self._clock() < until

    def clear(self) -> None:
        with self._lock:
            self._noted.clear()


PASSED_OVER = PassedOver()
