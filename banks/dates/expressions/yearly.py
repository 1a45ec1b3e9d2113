"""Times that come once a year: months, dates without a year, seasons, quarters, holidays."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from typing import Self

from banks.dates.context import Context
from banks.dates.expressions.when import When
from banks.dates.feasts import date_of
from banks.dates.interval import MONTHS_IN_QUARTER, Interval, Period, build_day, build_month, day_of, shift, span_of

_JUST_OVER = timedelta(days=92)  # all spring long "this winter" may be the one before it
_REACH = 8  # years between two leap days around 1900


@dataclass(frozen=True, slots=True)
class Yearly(When):
    year: int | None = None

    @property
    def is_relative(self) -> bool:
        return self.year is None

    @abstractmethod
    def in_year(self, year: int) -> Period | None: ...

    def with_year(self, year: int) -> Self:
        return replace(self, year=year)

    def resolve(self, ctx: Context) -> Interval | None:
        found = self.in_year(self.year) if self.year is not None else self._nearest(ctx)
        return found.as_interval() if found else None

    def _nearest(self, ctx: Context) -> Period | None:
        if ctx.direction == "past":
            return next((p for p in self.candidates(ctx, -1) if p.start <= ctx.now), None)
        return next((p for p in self.candidates(ctx, 1) if p.end > ctx.now), None)

    def candidates(self, ctx: Context, sign: int) -> Iterator[Period]:
        """From just beyond now outwards, in the direction of `sign`."""
        first = ctx.now.year - sign
        for year in range(first, first + sign * (_REACH + 2), sign):
            found = self.in_year(year)
            if found:
                yield found


@dataclass(frozen=True, slots=True)
class Month(Yearly):
    month: int = 1

    def in_year(self, year: int) -> Period | None:
        return build_month(year, self.month)


@dataclass(frozen=True, slots=True)
class MonthDay(Yearly):
    """A weekday that was said beside the date ("Tue May 9") chooses the year where it can."""

    month: int = 1
    day: int = 1
    weekday: int | None = None

    def in_year(self, year: int) -> Period | None:
        return build_day(year, self.month, self.day)

    def _nearest(self, ctx: Context) -> Period | None:
        sign = -1 if ctx.direction == "past" else 1
        ahead = [p for p in self.candidates(ctx, sign) if (p.start <= ctx.now if sign < 0 else p.end > ctx.now)]
        near = [p for p in ahead[:2] if p.start.weekday() == self.weekday]
        return next(iter(near + ahead), None)


@dataclass(frozen=True, slots=True)
class Stretch(Yearly):
    """A run of months: quarters, halves and the seasons (meteorological, of the northern half of the world)."""

    first_month: int = 1
    months: int = 3

    def in_year(self, year: int) -> Period | None:
        first = build_month(year, self.first_month)
        if first is None:
            return None
        return span_of(
            first.start, "month", self.months, grain="quarter" if self.months == MONTHS_IN_QUARTER else "range"
        )


@dataclass(frozen=True, slots=True)
class Holiday(Yearly):
    """`rule` is a name in banks.dates.feasts, which knows the date of a year."""

    rule: str = ""

    def in_year(self, year: int) -> Period | None:
        found = date_of(self.rule, year)
        return day_of(found) if found else None


@dataclass(frozen=True, slots=True)
class AroundHoliday(Yearly):
    """As in "over Christmas": from the eve or the free days before to those behind."""

    rule: str = ""
    before: int = 0
    after: int = 0

    def in_year(self, year: int) -> Period | None:
        found = date_of(self.rule, year)
        first = shift(day_of(found).start, -self.before, "day") if found else None
        return span_of(first, "day", self.before + 1 + self.after, grain="range") if first else None


@dataclass(frozen=True, slots=True)
class Turned(When):
    """As in "last May", "next summer", "this Christmas", "two summers ago": -1, 1, 0 and -2.

    Last is over, next has not begun.
    """

    what: Yearly
    turn: int

    def resolve(self, ctx: Context) -> Interval | None:
        if self.turn == 0:
            found = self._this(ctx)
        elif self.turn < 0:
            found = _nth((p for p in self.what.candidates(ctx, -1) if p.end <= ctx.now), -self.turn)
        else:
            found = _nth((p for p in self.what.candidates(ctx, 1) if p.start > ctx.now), self.turn)
        return found.as_interval() if found else None

    def _this(self, ctx: Context) -> Period | None:
        """Of this year, unless it began in the last one and goes on, or is just over where the past is meant."""
        found, former = self.what.in_year(ctx.now.year), self.what.in_year(ctx.now.year - 1)
        if found is None or former is None or found.start <= ctx.now:
            return found
        since_its_end = ctx.now - former.end
        return former if since_its_end < (_JUST_OVER if ctx.direction == "past" else timedelta(0)) else found


def _nth(periods: Iterator[Period], n: int) -> Period | None:
    return next(islice(periods, n - 1, None), None)


@dataclass(frozen=True, slots=True)
class InYearOf(When):
    """As in "March last year", "Independence Day of this year"."""

    what: Yearly
    year_of: When

    def resolve(self, ctx: Context) -> Interval | None:
        around = self.year_of.period(ctx)
        found = self.what.in_year(around.start.year) if around else None
        return found.as_interval() if found else None
