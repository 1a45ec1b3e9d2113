"""Times that recur: weekdays, days of a month, and times of any year (dates, months, seasons and holidays)."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from typing import Self

from dateutil.easter import easter

from timewords.expressions import Context, When
from timewords.intervals import (
    DAYS_IN_WEEK,
    MONTHS_IN_QUARTER,
    Interval,
    Period,
    build_day,
    build_month,
    day_of,
    period_at,
    shift,
    span_of,
)
from timewords.types import Grain

_FIXED = {
    "new year": (1, 1), "valentine": (2, 14), "patrick": (3, 17), "april fools": (4, 1), "earth": (4, 22),
    "labour": (5, 1), "juneteenth": (6, 19), "independence": (7, 4), "bastille": (7, 14), "halloween": (10, 31),
    "all saints": (11, 1), "guy fawkes": (11, 5), "veterans": (11, 11), "christmas eve": (12, 24),
    "christmas": (12, 25), "boxing": (12, 26), "new year's eve": (12, 31), "st nicholas": (12, 6),
    "womens": (3, 8), "epiphany": (1, 6), "pi": (3, 14), "groundhog": (2, 2), "cinco de mayo": (5, 5),
    "assumption": (8, 15),
}  # fmt: skip
_AFTER_EASTER = {
    "easter": 0, "good friday": -2, "easter monday": 1, "palm sunday": -7, "ash wednesday": -46, "mardi gras": -47,
    "maundy thursday": -3, "ascension": 39, "pentecost": 49, "whit monday": 50,
}  # fmt: skip
_NTH_WEEKDAY = {  # month, weekday, n (from the end if negative), days after it
    "mlk": (1, 0, 3, 0), "presidents": (2, 0, 3, 0), "mothers": (5, 6, 2, 0), "memorial": (5, 0, -1, 0),
    "fathers": (6, 6, 3, 0), "labor": (9, 0, 1, 0), "columbus": (10, 0, 2, 0), "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1), "cyber monday": (11, 3, 4, 4),
}  # fmt: skip
_FIRST_EASTER, _LAST_YEAR = 1583, 9999  # the western date of Easter exists since the Gregorian calendar

HOLIDAY_NAMES = {
    "new year's day": "new year", "new years day": "new year", "new year day": "new year", "new year's": "new year",
    "new year's eve": "new year's eve", "new years eve": "new year's eve", "valentine's day": "valentine",
    "valentines day": "valentine", "valentine's": "valentine", "st patrick's day": "patrick",
    "st. patrick's day": "patrick", "saint patrick's day": "patrick", "saint patrick": "patrick",
    "april fool's day": "april fools", "april fools day": "april fools", "april fools": "april fools",
    "earth day": "earth", "may day": "labour", "international workers' day": "labour", "workers' day": "labour",
    "juneteenth": "juneteenth", "independence day": "independence", "bastille day": "bastille",
    "halloween": "halloween", "all saints' day": "all saints", "bonfire night": "guy fawkes",
    "veterans day": "veterans", "remembrance day": "veterans", "armistice day": "veterans",
    "christmas eve": "christmas eve", "christmas day": "christmas", "christmas": "christmas", "xmas": "christmas",
    "boxing day": "boxing", "easter": "easter", "easter sunday": "easter", "good friday": "good friday",
    "easter monday": "easter monday", "palm sunday": "palm sunday", "ash wednesday": "ash wednesday",
    "mardi gras": "mardi gras", "ascension day": "ascension", "pentecost": "pentecost", "whit monday": "whit monday",
    "martin luther king day": "mlk", "mlk day": "mlk", "presidents day": "presidents", "presidents' day": "presidents",
    "mother's day": "mothers", "mothers day": "mothers", "memorial day": "memorial", "father's day": "fathers",
    "fathers day": "fathers", "labor day": "labor", "columbus day": "columbus", "thanksgiving": "thanksgiving",
    "thanksgiving day": "thanksgiving", "black friday": "black friday", "cyber monday": "cyber monday",
    "epiphany": "epiphany", "groundhog day": "groundhog", "cinco de mayo": "cinco de mayo",
    "international women's day": "womens", "st nicholas day": "st nicholas",
}  # fmt: skip


def find_holiday(rule: str, year: int) -> date | None:
    """The date of the holiday `rule` in a year; None outside the years in which the rule holds."""
    if not 1 <= year <= _LAST_YEAR:
        return None
    if rule in _FIXED:
        return date(year, *_FIXED[rule])
    if rule in _AFTER_EASTER:
        return easter(year) + timedelta(days=_AFTER_EASTER[rule]) if year >= _FIRST_EASTER else None
    month, weekday, n, later = _NTH_WEEKDAY[rule]
    return _nth_weekday(year, month, weekday, n) + timedelta(days=later)


def _nth_weekday(year: int, month: int, weekday: int, n: int) -> date:
    first = date(year, month, 1)
    day = first + timedelta(days=(weekday - first.weekday()) % 7)
    if n > 0:
        return day + timedelta(weeks=n - 1)
    while (day + timedelta(weeks=1)).month == month:
        day += timedelta(weeks=1)
    return day


_MONTHS_AHEAD = 400  # any 400 months hold each weekday on each day of the month, such as Friday the 13th
_YEARS_AHEAD = 8  # the longest time between two leap days
_WEEKDAY_REACH = timedelta(days=731)
_JUST_OVER = timedelta(days=92)  # all spring long, "this winter" may be the one before


def choose_by_direction(ctx: Context, back: Iterator[Period], ahead: Iterator[Period]) -> Period | None:
    """The last period that has begun, the first one that is not over, or the nearer one of both.

    `back` and `ahead` start beside now and lead away from it.
    """
    last = next((p for p in back if p.start <= ctx.now), None) if ctx.direction != "future" else None
    if ctx.direction == "past" or (last and last.end > ctx.now):
        return last
    coming = next((p for p in ahead if p.end > ctx.now), None)
    if last and coming:
        return last if ctx.now - last.end < coming.start - ctx.now else coming
    return last or coming


@dataclass(frozen=True, slots=True)
class Weekday(When):
    """A bare weekday. Without a verb it is the next one, as in "Dentist Friday 9:00"."""

    weekday: int

    def resolve(self, ctx: Context) -> Interval | None:
        offset = (self.weekday - ctx.now.weekday()) % DAYS_IN_WEEK
        if ctx.direction == "past":
            offset -= DAYS_IN_WEEK if offset or not ctx.today_counts else 0
        elif not offset and ctx.direction == "future" and not ctx.today_counts:
            offset = DAYS_IN_WEEK
        found = period_at(ctx.now, "day", offset)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class TurnedWeekday(When):
    """A weekday with last (-1), this (0) or next (1).

    `by_week` counts calendar weeks: "next Friday" is the Friday of next week. Otherwise the nearest day counts: "last
    Friday" and "this coming Friday" are at most a week away.
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
    """A day of a month that is not named: "the 12th", "Friday the 13th"."""

    day: int
    weekday: int | None = None

    def resolve(self, ctx: Context) -> Interval | None:
        found = choose_by_direction(ctx, self._candidates(ctx, -1), self._candidates(ctx, 1))
        return found.as_interval() if found else None

    def _candidates(self, ctx: Context, sign: int) -> Iterator[Period]:
        for step in range(_MONTHS_AHEAD):
            month = period_at(ctx.now, "month", sign * step)
            if month is None:
                return
            day = period_at(month.start, "day", self.day - 1)
            if day is None or day.start.month != month.start.month:
                continue
            if self.weekday is None or day.start.weekday() == self.weekday:
                yield day


@dataclass(frozen=True, slots=True)
class Yearly(When):
    """A time that every year has once, in a given year or in the one that the context points to."""

    year: int | None = None

    @property
    def is_relative(self) -> bool:
        return self.year is None

    @abstractmethod
    def in_year(self, year: int) -> Period | None: ...

    def with_year(self, year: int) -> Self:
        return replace(self, year=year)

    def resolve(self, ctx: Context) -> Interval | None:
        found = self.in_year(self.year) if self.year is not None else self.choose(ctx)
        return found.as_interval() if found else None

    def choose(self, ctx: Context) -> Period | None:
        return choose_by_direction(ctx, self.candidates(ctx, -1), self.candidates(ctx, 1))

    def candidates(self, ctx: Context, sign: int) -> Iterator[Period]:
        """One period a year, from just beyond now and on in the direction of `sign`."""
        first = ctx.now.year - sign
        for year in range(first, first + sign * (_YEARS_AHEAD + 2), sign):
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
    """A weekday beside the date chooses the year: in May 2026, "Tuesday June 9" is in 2026, "Monday June 9" in 2025.

    A date that falls on that weekday in no year within reach is no date.
    """

    month: int = 1
    day: int = 1
    weekday: int | None = None

    def in_year(self, year: int) -> Period | None:
        return build_day(year, self.month, self.day)

    def candidates(self, ctx: Context, sign: int) -> Iterator[Period]:
        for period in Yearly.candidates(self, ctx, sign):
            is_in_reach = abs(period.start - ctx.now) < _WEEKDAY_REACH
            if self.weekday is None or (is_in_reach and period.start.weekday() == self.weekday):
                yield period

    def choose(self, ctx: Context) -> Period | None:
        """A weekday outweighs the tense."""
        found = Yearly.choose(self, ctx)
        return found if found or self.weekday is None else Yearly.choose(self, ctx.pointing("nearest"))


@dataclass(frozen=True, slots=True)
class Stretch(Yearly):
    """Several months: quarters, halves of a year, and the meteorological seasons of the northern hemisphere."""

    first_month: int = 1
    months: int = 3

    def in_year(self, year: int) -> Period | None:
        first = build_month(year, self.first_month)
        if first is None:
            return None
        grain: Grain = "quarter" if self.months == MONTHS_IN_QUARTER else "range"
        return span_of(first.start, "month", self.months, grain=grain)


@dataclass(frozen=True, slots=True)
class Holiday(Yearly):
    """`rule` is a value of HOLIDAY_NAMES. "Over Christmas" takes in the free days `before` and `after`."""

    rule: str = ""
    before: int = 0
    after: int = 0

    def in_year(self, year: int) -> Period | None:
        found = find_holiday(self.rule, year)
        first = shift(day_of(found).start, -self.before, "day") if found else None
        days = self.before + 1 + self.after
        return span_of(first, "day", days, grain="day" if days == 1 else "range") if first else None


@dataclass(frozen=True, slots=True)
class Turned(When):
    """A yearly time with last, this or next: "last May" (-1), "next summer" (1), "two summers ago" (-2).

    The last one is over, the next one has not begun.
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
        """The one of this year, unless that of last year still goes on or, for the past, is just over."""
        found, former = self.what.in_year(ctx.now.year), self.what.in_year(ctx.now.year - 1)
        if found is None or former is None or found.start <= ctx.now:
            return found
        since_its_end = ctx.now - former.end
        return former if since_its_end < (timedelta(0) if ctx.direction == "future" else _JUST_OVER) else found


def _nth(periods: Iterator[Period], n: int) -> Period | None:
    return next(islice(periods, n - 1, None), None)


@dataclass(frozen=True, slots=True)
class InYearOf(When):
    """A yearly time in the year of another time: "March last year"."""

    what: Yearly
    year_of: When

    def resolve(self, ctx: Context) -> Interval | None:
        around = self.year_of.period(ctx)
        found = self.what.in_year(around.start.year) if around else None
        return found.as_interval() if found else None
