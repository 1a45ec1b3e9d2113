"""Parts of a longer time: the first Monday of next month, late March, the weekend before a date."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from banks.dates.context import Context
from banks.dates.expressions.weekly import Weekday
from banks.dates.expressions.when import When
from banks.dates.interval import DAYS_IN_WEEK, Interval, Period, grain_of, period_at, shift, span_of

Part = Literal["early", "mid", "late"]
_THURSDAY = 3


@dataclass(frozen=True, slots=True)
class Nth(When):
    """The n-th (from the end if negative) day, weekday, week ... of a longer time, `count` of them.

    A week belongs to the month or year that holds its Thursday (ISO 8601).
    """

    n: int
    unit: str
    whole: When
    weekday: int | None = None
    count: int = 1

    @property
    def is_relative(self) -> bool:
        return self.whole.is_relative

    def resolve(self, ctx: Context) -> Interval | None:
        whole = self.whole.period(ctx)
        start = self._start(whole) if whole else None
        if whole is None or start is None:
            return None
        unit = "day" if self.weekday is not None else self.unit
        found = span_of(start, "day", 2) if unit == "weekend" else span_of(start, unit, self.count)
        centre = shift(start, _THURSDAY, "day") if unit == "week" else start
        inside = centre is not None and whole.start <= centre < whole.end
        grain = grain_of(unit) if self.count == 1 else "range"
        return Interval(found.start, found.end, grain) if inside else None

    def _start(self, whole: Period) -> datetime | None:
        if self.weekday is not None:
            return self._seven_days(whole, self.weekday)
        if self.unit in ("week", "weekend"):
            wanted = _THURSDAY if self.unit == "week" else 5
            day = self._seven_days(whole, wanted)
            return shift(day, -_THURSDAY if self.unit == "week" else 0, "day") if day else None
        if self.n > 0:
            return shift(whole.start, self.n - 1, self.unit)
        return shift(whole.end, self.n, self.unit)

    def _seven_days(self, whole: Period, weekday: int) -> datetime | None:
        """The n-th of the days that fall on `weekday`."""
        if self.n > 0:
            ahead = (weekday - whole.start.weekday()) % DAYS_IN_WEEK
            return shift(whole.start, ahead + DAYS_IN_WEEK * (self.n - 1), "day")
        behind = (whole.end.weekday() - weekday - 1) % DAYS_IN_WEEK + 1
        return shift(whole.end, -behind + DAYS_IN_WEEK * (self.n + 1), "day")


@dataclass(frozen=True, slots=True)
class Edge(When):
    """Early, mid and late. A year has thirds, anything else has halves with the middle third."""

    part: Part
    whole: When

    @property
    def is_relative(self) -> bool:
        return self.whole.is_relative

    def resolve(self, ctx: Context) -> Interval | None:
        whole = self.whole.period(ctx)
        if whole is None:
            return None
        if whole.grain == "year":
            first = {"early": 0, "mid": 4, "late": 8}[self.part]
            start = shift(whole.start, first, "month")
            return Interval(start, span_of(start, "month", 4).end, "range") if start else None
        start_share, end_share = {"early": (0.0, 0.5), "mid": (1 / 3, 2 / 3), "late": (0.5, 1.0)}[self.part]
        return Interval(_cut(whole, start_share), _cut(whole, end_share), "range")


def _cut(whole: Period, share: float) -> datetime:
    """A point inside, on a midnight for what is longer than a day; half a decade is five years, whatever their days."""
    if share == 1:
        return whole.end
    if whole.grain in ("decade", "century"):
        return shift(whole.start, share, whole.grain) or whole.start
    days = (whole.end - whole.start).days
    if days > 1:
        return shift(whole.start, int(days * share), "day") or whole.start
    return whole.start + (whole.end - whole.start) * share


@dataclass(frozen=True, slots=True)
class SoFar(When):
    """As in "earlier this year" and "later this week": the half of it, cut by now.

    Who asks for what was earlier means all of it up to now, as half of it may be all that is over.
    """

    whole: When
    turn: Literal[-1, 1]

    def resolve(self, ctx: Context) -> Interval | None:
        whole = self.whole.period(ctx)
        today = period_at(ctx.now, "day")
        if whole is None or today is None:
            return None
        middle = _cut(whole, 0.5)
        if self.turn < 0 and ctx.today_counts and whole.start < today.end <= whole.end:
            return Interval(whole.start, today.end, "range")
        if self.turn < 0:
            end = min(middle, max(today.start, whole.start))
            return Interval(whole.start, end if end > whole.start else today.end, "range")
        return Interval(max(middle, min(today.start, whole.end)), whole.end, "range")


@dataclass(frozen=True, slots=True)
class Rest(When):
    """As in "the rest of the week": from today on."""

    whole: When

    def resolve(self, ctx: Context) -> Interval | None:
        whole, today = self.whole.period(ctx), period_at(ctx.now, "day")
        return Interval(max(whole.start, today.start), whole.end, "range") if whole and today else None


@dataclass(frozen=True, slots=True)
class Beside(When):
    """As in "the weekend before my birthday on 3 May" (turn -1) and "the week of the 18th" (0, the one it is in)."""

    unit: str
    turn: int
    anchor: When
    weekday: int | None = None

    @property
    def is_relative(self) -> bool:
        return True

    def resolve(self, ctx: Context) -> Interval | None:
        anchor = self.anchor.period(ctx)
        if anchor is None:
            return None
        if self.weekday is not None:
            return self._weekday_beside(ctx, anchor)
        if self.unit == "weekend":
            found = self._weekend(anchor)
        else:
            here = anchor.start if self.turn <= 0 else shift(anchor.end, -1, "second")
            found = period_at(here, self.unit, self.turn) if here else None
        return found.as_interval() if found else None

    def _weekend(self, anchor: Period) -> Period | None:
        here = period_at(anchor.start, "weekend")
        if here is None or self.turn == 0:
            return here
        if self.turn < 0:
            return here if here.end <= anchor.start else period_at(anchor.start, "weekend", -1)
        return here if here.start >= anchor.end else period_at(anchor.start, "weekend", 1)

    def _weekday_beside(self, ctx: Context, anchor: Period) -> Interval | None:
        weekday = Weekday(self.weekday or 0)
        if self.turn < 0:
            before = shift(anchor.start, -1, "second")
            return weekday.resolve(ctx.seen_from(before, "past")) if before else None
        return weekday.resolve(ctx.seen_from(anchor.end, "future"))


@dataclass(frozen=True, slots=True)
class FirstFrom(When):
    """As in "two months from today on Tuesday": the first such weekday from there on."""

    date: When
    day: Weekday

    def resolve(self, ctx: Context) -> Interval | None:
        start = self.date.period(ctx)
        return self.day.resolve(ctx.seen_from(start.start, "future")) if start else None


@dataclass(frozen=True, slots=True)
class DayIn(When):
    """A day that recurs, in a time that does not: "Tuesday of next week", "the 15th of next month"."""

    day: When
    whole: When

    @property
    def is_relative(self) -> bool:
        return self.whole.is_relative

    def resolve(self, ctx: Context) -> Interval | None:
        whole = self.whole.period(ctx)
        found = self.day.period(ctx.seen_from(whole.start, "future")) if whole else None
        return found.as_interval() if whole and found and whole.holds(found) else None
