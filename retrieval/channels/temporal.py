"""The temporal channel: units of the window that a query is about (formulas 13 and 14)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from typing import Any
from uuid import UUID

from psycopg import sql

from banks.models import Corpus
from banks.vector_index.index import VectorIndex
from banks.vectors import write_vector
from retrieval.channels.graph import weigh_time
from retrieval.channels.lookups import BankQuery
from retrieval.channels.semantic import KNOWN_INDEXES, tune_index, write_index_order
from retrieval.errors import NoVector
from retrieval.filters.conditions import all_of, list_owners
from retrieval.filters.fields import happened_within
from retrieval.filters.types import TimeRange
from retrieval.statements import Row, read_rows
from retrieval.types import Hit
from timewords.types import END_OF_TIME, START_OF_TIME, TimeWindow

LEAST_COSINE = 0.4  # TEMPR 3.1.4: to happen in the window is not enough
REACH = 2  # rows are read for each entry point, for its neighbours in time
DAY = timedelta(days=1)
DAY_SECONDS = DAY.total_seconds()
UNDATED = 0.5  # for a unit without an occurrence date, which uses mentioned_at
DECAY = 0.7  # TEMPR 3.1.4
NEIGHBOURS = 10  # each way, in the order of time
CLOSENESS = 0.5  # its share of the score; the rest is the cosine, for the middle of a year means little

# The middle is computed after the nearest are chosen, because a wide window holds most of a bank.
DATED = """
SELECT unit.id, unit.vector <=> $3::vector, unit.began IS NOT NULL,
    extract(epoch FROM coalesce(unit.began + (coalesce(unit.ended, unit.began) - unit.began) / 2, unit.said))::float8
FROM ({nearest}) AS unit
ORDER BY 2, unit.id
"""
COLUMNS = """unit.id, unit.{vector} AS vector,
    unit.occurred_start AS began, unit.occurred_end AS ended, unit.mentioned_at AS said"""
BRANCH = "SELECT {columns} FROM banks_memoryunit AS unit WHERE {scope} AND {condition}"
NEAREST = "SELECT * FROM ({branches}) AS unit ORDER BY unit.vector <=> $3::vector, unit.id LIMIT {limit}"
NEAREST_BY_INDEX = "{branch} ORDER BY {order} LIMIT {limit}"
COUNT = "SELECT count(*) FROM ({branches}) AS unit"
WIDE = 5_000  # units: comparing as many one by one takes some 10 ms


@dataclass(frozen=True)
class Dated:
    """A unit in the window. `middle` is that of its occurrence, or when it was said, in seconds since 1970."""

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
        """At least a day long, around the same middle, within the calendar."""
        if asked.start is None or asked.end is None or asked.end - asked.start >= DAY:
            return cls(asked.start, asked.end)
        middle = asked.start + (asked.end - asked.start) / 2
        earliest = START_OF_TIME.replace(tzinfo=middle.tzinfo) + DAY / 2
        latest = END_OF_TIME.replace(tzinfo=middle.tzinfo) - DAY / 2
        middle = min(max(middle, earliest), latest)
        return cls(middle - DAY / 2, middle + DAY / 2)


def search_temporal(query: BankQuery, asked: TimeWindow) -> list[Hit]:
    """Units of the window, by how well their time fits and by their cosine."""
    window = Window.around(asked)
    units = find_in_window(query, TimeRange(window.start, window.end))
    entries = units[: query.limits.rows // REACH]
    closeness = {unit.id: score_closeness(unit, window) for unit in entries}
    reached = spread_in_time(units, closeness)
    cosines = {unit.id: unit.cosine for unit in units}
    hits = [
        Hit("unit", unit_id, CLOSENESS * close + (1 - CLOSENESS) * cosines[unit_id])
        for unit_id, close in reached.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def find_in_window(query: BankQuery, window: TimeRange) -> list[Dated]:
    """The nearest to the query first."""
    if not query.vector.size:
        raise NoVector
    return [
        Dated(row_id, 1.0 - distance, middle, has_occurred)
        for row_id, distance, has_occurred, middle in read_window(query, window)
        if distance is not None and 1.0 - distance >= LEAST_COSINE
    ]


def read_window(query: BankQuery, window: TimeRange) -> Sequence[Row]:
    """A wide window of a bank with a vector index is searched by the index. If the walk through it ends early, and
    otherwise, the units of the window are compared one by one.
    """
    bank, scope, most = query.bank, query.scope, query.limits.rows
    conditions = write_conditions(window)
    values = (*list_owners(bank), write_vector(query.vector))

    def read(statement: str, values: Sequence[Any] = values, settings: Mapping[str, str] | None = None) -> list[Row]:
        within = query.deadline.next_share()
        return read_rows(bank.tenant_id, statement, values, within_seconds=within, settings=settings)

    def unite(columns: str, suffix: str = "") -> str:
        branches = (BRANCH.format(columns=columns, scope=scope.unit, condition=one) for one in conditions)
        return " UNION ALL ".join(f"({branch}{suffix})" for branch in branches)

    columns = COLUMNS.format(vector=bank.vector_column)
    if VectorIndex(bank.id, bank.vector_slot) in KNOWN_INDEXES and not scope.is_selective:
        ((count,),) = read(COUNT.format(branches=unite("1", f" LIMIT {WIDE}")), list_owners(bank))
        if count >= WIDE:
            branch = BRANCH.format(columns=columns, scope=scope.unit, condition=f"({' OR '.join(conditions)})")
            order = write_index_order(bank, Corpus.UNIT, query.vector.size)
            nearest = NEAREST_BY_INDEX.format(branch=branch, order=order, limit=most)
            rows = read(DATED.format(nearest=nearest), settings=tune_index(most))
            if len(rows) >= most:
                return rows
    return read(DATED.format(nearest=NEAREST.format(branches=unite(columns), limit=most)))


def write_conditions(window: TimeRange) -> list[str]:
    """Each uses an index of its own: what began in the window, what reached into it, and what was said in it."""
    began, said = happened_within("occurred_start", window), happened_within("mentioned_at", window)
    conditions = [
        f"unit.occurred_start IS NOT NULL AND {all_of(began).as_string()}",
        f"unit.occurred_start IS NULL AND {all_of(said).as_string()}",
    ]
    if window.start is not None:
        start = sql.Literal(window.start)
        reached = sql.SQL("unit.occurred_start < {start} AND unit.occurred_end > {start}").format(start=start)
        conditions.append(reached.as_string())
    return [f"({one})" for one in conditions]


def score_closeness(unit: Dated, window: Window) -> float:
    """1 - |middle of unit - middle of window| / (half of window), in 0..1. An open window has no middle: all fit."""
    penalty = 1.0 if unit.has_occurred else UNDATED
    if window.start is None or window.end is None:
        return penalty
    half = (window.end - window.start).total_seconds() / 2
    middle = window.start.timestamp() + half
    return penalty * min(1.0, max(0.0, 1 - abs(unit.middle - middle) / half))


def spread_in_time(units: Sequence[Dated], closeness: Mapping[UUID, float]) -> dict[UUID, float]:
    """A unit passes a part of its closeness on to its neighbours in time, and they a part of that.

    Best first: parts only get smaller, so a unit's value is final when it spreads.
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
    """The neighbours that get more than they have. Most have more than the decay allows and are skipped."""
    middle, own = middles[place], values[place]
    for other in range(max(0, place - NEIGHBOURS), min(len(middles), place + NEIGHBOURS + 1)):
        if values[other] < own * DECAY:
            apart = abs(middles[other] - middle)
            value = own * weigh_time(apart) * DECAY
            if apart < DAY_SECONDS and value > values[other]:
                yield other, value
