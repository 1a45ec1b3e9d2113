"""Half-open intervals of wall-clock time, and calendar steps, which return None beyond the end of the calendar."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypedDict

from timewords.types import END_OF_TIME, Grain


class _ClockFields(TypedDict, total=False):
    minute: int
    second: int


MONTHS_IN_YEAR = 12
MONTHS_IN_QUARTER = 3
DAYS_IN_WEEK = 7
SATURDAY = 5

_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_BELOW: dict[str, _ClockFields] = {"second": {}, "minute": {"second": 0}, "hour": {"second": 0, "minute": 0}}
_DAYS = {"day": 1, "week": DAYS_IN_WEEK, "weekend": DAYS_IN_WEEK, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": MONTHS_IN_QUARTER, "year": MONTHS_IN_YEAR, "decade": 120, "century": 1200}


@dataclass(frozen=True, slots=True)
class Interval:
    """Naive local time; the zone is added at the end. None is an open end."""

    start: datetime | None
    end: datetime | None
    grain: Grain


@dataclass(frozen=True, slots=True)
class Period:
    """An interval with both ends, which calendar steps can start from."""

    start: datetime
    end: datetime
    grain: Grain

    def as_interval(self) -> Interval:
        return Interval(self.start, self.end, self.grain)

    def holds(self, other: "Period") -> bool:
        return self.start <= other.start and other.end <= self.end


def shift(moment: datetime, amount: float, unit: str) -> datetime | None:
    """Adds calendar units. Months keep the day, or end on the last day of a shorter month."""
    try:
        if unit in _MONTHS:
            return _shift_months(moment, round(amount * _MONTHS[unit]))
        if unit in _DAYS:
            return moment + timedelta(days=amount * _DAYS[unit])
        return moment + timedelta(seconds=amount * _SECONDS[unit])
    except (OverflowError, ValueError):
        return None


def _shift_months(moment: datetime, months: int) -> datetime:
    index = moment.year * MONTHS_IN_YEAR + moment.month - 1 + months
    year, month = index // MONTHS_IN_YEAR, index % MONTHS_IN_YEAR + 1
    last_day = calendar.monthrange(year, month)[1]
    return moment.replace(year=year, month=month, day=min(moment.day, last_day))


def span_of(start: datetime, unit: str, count: float = 1, *, grain: Grain | None = None) -> Period:
    """`count` units from `start`, cut at the end of the calendar."""
    end = shift(start, count, unit) or END_OF_TIME
    kind: Grain = grain or grain_of(unit)
    return Period(start, end, kind)


def grain_of(unit: str) -> Grain:
    grains: dict[str, Grain] = {
        "second": "second", "minute": "minute", "hour": "hour", "day": "day", "week": "week", "weekend": "range",
        "fortnight": "range", "month": "month", "quarter": "quarter", "year": "year", "decade": "decade",
        "century": "century",
    }  # fmt: skip
    return grains[unit]


def day_of(moment: date) -> Period:
    return span_of(datetime.combine(moment, time.min), "day")


def build_day(year: int, month: int, day: int) -> Period | None:
    """None for a day that does not exist, such as 30 February."""
    try:
        return day_of(date(year, month, day))
    except (OverflowError, ValueError):
        return None


def build_month(year: int, month: int) -> Period | None:
    first = build_day(year, month, 1)
    return None if first is None else span_of(first.start, "month")


def build_year(year: int) -> Period | None:
    first = build_day(year, 1, 1)
    return None if first is None else span_of(first.start, "year")


def truncate(moment: datetime, unit: str) -> datetime | None:
    """The start of the unit that holds `moment`. Weeks start on Monday. A weekend belongs to the week before it."""
    if unit in _SECONDS:
        return moment.replace(microsecond=0, **_BELOW[unit])
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in ("week", "fortnight", "weekend"):
        return shift(midnight, (SATURDAY if unit == "weekend" else 0) - midnight.weekday(), "day")
    return midnight if unit == "day" else _first_of(midnight, unit)


def _first_of(midnight: datetime, unit: str) -> datetime:
    """The first day of a month or a longer unit."""
    year, month = midnight.year, midnight.month
    if unit == "quarter":
        month = (month - 1) // MONTHS_IN_QUARTER * MONTHS_IN_QUARTER + 1
    if unit in ("year", "decade", "century"):
        size = _MONTHS[unit] // MONTHS_IN_YEAR
        year, month = max(1, year // size * size), 1
    return midnight.replace(year=year, month=month, day=1)


def period_at(moment: datetime, unit: str, steps: float = 0) -> Period | None:
    """The whole calendar unit that is `steps` units away from the one that holds `moment`."""
    here = truncate(moment, unit)
    start = None if here is None else shift(here, steps, unit)
    if start is None:
        return None
    return span_of(start, "day", 2, grain="range") if unit == "weekend" else span_of(start, unit)
