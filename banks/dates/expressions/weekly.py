"""Weekdays and days of a month, which come again and again."""

from collections.abc import Iterator
from dataclasses import dataclass

from banks.dates.context import Context
from banks.dates.expressions.when import When
from banks.dates.interval import DAYS_IN_WEEK, Interval, Period, period_at

_MONTHS_AHEAD = 400  # the calendar repeats after 400 years; a month this far always holds "Friday the 13th"


@dataclass(frozen=True, slots=True)
class Weekday(When):
    weekday: int

    def resolve(self, ctx: Context) -> Interval | None:
        offset = (self.weekday - ctx.now.weekday()) % DAYS_IN_WEEK
        if ctx.direction == "past":
            offset -= DAYS_IN_WEEK if offset or not ctx.today_counts else 0
        elif not offset and not ctx.today_counts:
            offset = DAYS_IN_WEEK
        found = period_at(ctx.now, "day", offset)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class TurnedWeekday(When):
    """While "next Friday" is that of next week, "last Friday" is the nearest one before today.

    `by_week` counts calendar weeks ("next", "this", "previous"), otherwise the nearest one counts ("last", "coming").
    """

    weekday: int
    turn: int
    by_week: bool

    def resolve(self, ctx: Context) -> Interval | None:
        if self.by_week:
            monday = period_at(ctx.now, "week", self.turn)
            found = period_at(monday.start, "day", self.weekday) if monday else None
        else:
            ahead = (self.weekday - ctx.now.weekday()) % DAYS_IN_WEEK
            nearest = (ahead or DAYS_IN_WEEK) - DAYS_IN_WEEK if self.turn > 0 else ahead
            found = period_at(ctx.now, "day", nearest + self.turn * DAYS_IN_WEEK)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class DayOfMonth(When):
    """As in "the 12th", "Friday the 13th"."""

    day: int
    weekday: int | None = None

    def resolve(self, ctx: Context) -> Interval | None:
        found = next(iter(self._candidates(ctx)), None)
        return found.as_interval() if found else None

    def _candidates(self, ctx: Context) -> Iterator[Period]:
        sign = -1 if ctx.direction == "past" else 1
        for step in range(_MONTHS_AHEAD):
            month = period_at(ctx.now, "month", sign * step)
            if month is None:
                return
            day = period_at(month.start, "day", self.day - 1)
            if day is None or day.start.month != month.start.month:
                continue
            fits = self.weekday is None or day.start.weekday() == self.weekday
            if fits and (day.start <= ctx.now if sign < 0 else day.end > ctx.now):
                yield day
