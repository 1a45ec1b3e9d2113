"""How well a unit's time fits the window that a query asks about (formulas 13 and 14). Pure, in seconds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from uuid import UUID

from banks.dates.types import END_OF_TIME, START_OF_TIME, TimeWindow
from retrieval.graph.weights import weigh_time

DAY = timedelta(days=1)
DAY_SECONDS = DAY.total_seconds()
UNDATED = 0.5  # of a unit that says not when it happened, only when it was said
DECAY = 0.7  # TEMPR 3.1.4
NEIGHBOURS = 10  # each way, in the order of time
CLOSENESS = 0.5  # the rest of the score is the cosine: in a window of a year its middle means little


@dataclass(frozen=True)
class Dated:
    """A unit inside the window. `middle` of its occurrence, or when it was said, in seconds since 1970."""

    id: UUID
    cosine: float
    middle: float
    has_occurred: bool


@dataclass(frozen=True)
class Window:
    start: datetime | None
    end: datetime | None

    @classmethod
    def around(cls, asked: TimeWindow) -> "Window":
        """At least a day, around the same middle; at an end of the calendar the day beside it."""
        if asked.start is None or asked.end is None or asked.end - asked.start >= DAY:
            return cls(asked.start, asked.end)
        middle = asked.start + (asked.end - asked.start) / 2
        earliest = START_OF_TIME.replace(tzinfo=middle.tzinfo) + DAY / 2
        latest = END_OF_TIME.replace(tzinfo=middle.tzinfo) - DAY / 2
        middle = min(max(middle, earliest), latest)
        return cls(middle - DAY / 2, middle + DAY / 2)


def score_closeness(unit: Dated, window: Window) -> float:
    """1 - |middle of unit - middle of window| / (half of window), in 0..1. An open window has no middle: all fit."""
    penalty = 1.0 if unit.has_occurred else UNDATED
    if window.start is None or window.end is None:
        return penalty
    half = (window.end - window.start).total_seconds() / 2
    middle = window.start.timestamp() + half
    return penalty * min(1.0, max(0.0, 1 - abs(unit.middle - middle) / half))


def spread_in_time(units: Sequence[Dated], closeness: Mapping[UUID, float]) -> dict[UUID, float]:
    """What stands beside a unit that fits gets a part of its closeness, and hands on a part of that.

    Best first, so that each is final when it hands on: the parts only get smaller.
    """
    ordered = sorted(units, key=lambda unit: (unit.middle, unit.id))
    values = [closeness.get(unit.id, 0.0) for unit in ordered]
    waiting = [(-value, place) for place, value in enumerate(values) if value]
    heapify(waiting)
    final: dict[UUID, float] = {}
    middles = [unit.middle for unit in ordered]
    done = [False] * len(ordered)
    while waiting:
        negative, place = heappop(waiting)
        if done[place]:
            continue
        done[place] = True
        final[ordered[place].id] = -negative
        for other, value in raise_beside(middles, values, place):
            values[other] = value
            heappush(waiting, (-value, other))
    return final | {unit_id: 0.0 for unit_id in closeness if unit_id not in final}


def raise_beside(middles: Sequence[float], values: Sequence[float], place: int) -> Iterator[tuple[int, float]]:
    """Those that get more than they have. Most have as much as the nearest could get, and are not weighed."""
    middle, own = middles[place], values[place]
    for other in range(max(0, place - NEIGHBOURS), min(len(middles), place + NEIGHBOURS + 1)):
        if values[other] < own * DECAY:
            apart = abs(middles[other] - middle)
            value = own * weigh_time(apart) * DECAY
            if apart < DAY_SECONDS and value > values[other]:
                yield other, value
