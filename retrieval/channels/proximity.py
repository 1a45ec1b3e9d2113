"""How well a unit's time fits the window that a query asks about (formulas 13 and 14). Pure, in seconds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from uuid import UUID

from banks.dates.types import TimeWindow
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
        """At least a day, around the same middle."""
        if asked.start is None or asked.end is None or asked.end - asked.start >= DAY:
            return cls(asked.start, asked.end)
        middle = asked.start + (asked.end - asked.start) / 2
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
    while waiting:
        negative, place = heappop(waiting)
        if ordered[place].id in final:
            continue
        final[ordered[place].id] = -negative
        for other, weight in list_beside(ordered, place):
            value = -negative * weight * DECAY
            if value > values[other]:
                values[other] = value
                heappush(waiting, (-value, other))
    return final | {unit_id: 0.0 for unit_id in closeness if unit_id not in final}


def list_beside(ordered: Sequence[Dated], place: int) -> Iterator[tuple[int, float]]:
    middle = ordered[place].middle
    for other in range(max(0, place - NEIGHBOURS), min(len(ordered), place + NEIGHBOURS + 1)):
        apart = abs(ordered[other].middle - middle)
        if other != place and apart < DAY_SECONDS:
            yield other, weigh_time(apart)
