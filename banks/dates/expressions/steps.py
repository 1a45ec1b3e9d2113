"""Times that are counted from the moment of speaking, or from another time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from banks.dates.context import Context
from banks.dates.expressions.when import Value, When
from banks.dates.interval import Interval, Period, grain_of, period_at, shift, span_of, truncate

CLOCK_UNITS = {"second": 1, "minute": 60, "hour": 3600}
CALENDAR_RUNS = frozenset({"quarter", "decade", "century", "weekend"})  # "the last two quarters" are whole ones


@dataclass(frozen=True, slots=True)
class Amount(Value):
    """A length of time: ((2, "hour"), (30, "minute"))."""

    parts: tuple[tuple[float, str], ...]

    @property
    def is_of_clock(self) -> bool:
        return all(unit in CLOCK_UNITS for _, unit in self.parts)

    @property
    def seconds(self) -> float:
        return sum(count * CLOCK_UNITS[unit] for count, unit in self.parts)

    @property
    def units(self) -> frozenset[str]:
        return frozenset(unit for _, unit in self.parts)

    @property
    def smallest(self) -> str:
        return self.parts[-1][1]

    def from_moment(self, moment: datetime, sign: int) -> datetime | None:
        for count, unit in self.parts:
            moved = shift(moment, sign * count, unit)
            if moved is None:
                return None
            moment = moved
        return moment


@dataclass(frozen=True, slots=True)
class Exact(When):
    period_: Period

    @property
    def is_relative(self) -> bool:
        return False

    def resolve(self, ctx: Context) -> Interval | None:
        return self.period_.as_interval()


@dataclass(frozen=True, slots=True)
class Instant(When):
    """A moment with its own offset, which the speaker's clock shows in the speaker's zone."""

    moment: datetime
    unit: str

    @property
    def is_relative(self) -> bool:
        return False

    def resolve(self, ctx: Context) -> Interval | None:
        try:
            local = self.moment.astimezone(ctx.moment.tzinfo).replace(tzinfo=None, fold=0)
        except OverflowError:
            return None
        return span_of(local, self.unit).as_interval()


@dataclass(frozen=True, slots=True)
class Now(When):
    def resolve(self, ctx: Context) -> Interval | None:
        return span_of(ctx.now.replace(microsecond=0), "second").as_interval()


@dataclass(frozen=True, slots=True)
class CalendarUnit(When):
    """So many calendar units from now: ("week", -1) is "last week", ("day", 0) is "today"."""

    unit: str
    steps: int

    def resolve(self, ctx: Context) -> Interval | None:
        found = period_at(ctx.now, self.unit, self.steps)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class NearestWeekend(When):
    """As in "over the weekend": the one that has begun, or the one to come where the future is meant."""

    def resolve(self, ctx: Context) -> Interval | None:
        found = period_at(ctx.now, "weekend")
        if found and ctx.direction == "past" and found.start > ctx.now:
            found = period_at(ctx.now, "weekend", -1)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class ComingWeekend(When):
    """The first one that has not begun, which is that of this week until Saturday."""

    def resolve(self, ctx: Context) -> Interval | None:
        found = period_at(ctx.now, "weekend")
        if found and found.start <= ctx.now:
            found = period_at(ctx.now, "weekend", 1)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class Ago(When):
    """As in "five days ago", "in two weeks": one day, or one moment for hours and less; the unit is the precision."""

    amount: Amount
    sign: int

    @property
    def counts_years(self) -> bool:
        return self.amount.smallest == "year"

    def resolve(self, ctx: Context) -> Interval | None:
        smallest = self.amount.smallest
        if self.amount.is_of_clock:
            moment = ctx.after_seconds(self.sign * self.amount.seconds)
            return span_of(moment, smallest).as_interval() if moment else None
        moment = self.amount.from_moment(ctx.now, self.sign)
        if moment and smallest in CLOCK_UNITS:
            return span_of(moment, smallest).as_interval()
        day = period_at(moment, "day") if moment else None
        return Interval(day.start, day.end, grain_of(smallest)) if day else None


@dataclass(frozen=True, slots=True)
class Shifted(When):
    """As in "two days before yesterday", "three months after Easter"."""

    amount: Amount
    sign: int
    anchor: When
    is_ahead: bool = False  # "a week from Friday" speaks of a Friday to come

    @property
    def is_relative(self) -> bool:
        return True

    def resolve(self, ctx: Context) -> Interval | None:
        anchor = self.anchor.period(ctx.pointing("future") if self.is_ahead else ctx)
        moment = self.amount.from_moment(anchor.start, self.sign) if anchor else None
        if moment is None or (self.amount.smallest in CLOCK_UNITS and anchor and anchor.grain not in CLOCK_UNITS):
            return None
        unit = self.amount.smallest if self.amount.smallest in CLOCK_UNITS else "day"
        return span_of(moment, unit).as_interval()


@dataclass(frozen=True, slots=True)
class Run(When):
    """As in "the last three weeks" and "the next two months", counted from the day of speaking."""

    amount: Amount
    sign: int
    from_tomorrow: bool = False

    def resolve(self, ctx: Context) -> Interval | None:
        count, unit = self.amount.parts[0]
        if unit in CALENDAR_RUNS:
            return self._whole_units(ctx, count, unit)
        here = ctx.now if self.amount.smallest in CLOCK_UNITS else truncate(ctx.now, "day")
        if here and self.from_tomorrow:
            here = shift(here, 1, "day")
        there = self.amount.from_moment(here, self.sign) if here else None
        if here is None or there is None:
            return None
        if self.sign < 0 and ctx.today_counts and self.amount.smallest not in CLOCK_UNITS:
            here = shift(here, 1, "day") or here
        return Interval(min(here, there), max(here, there), "range")

    def _whole_units(self, ctx: Context, count: float, unit: str) -> Interval | None:
        first = period_at(ctx.now, unit, -count if self.sign < 0 else 1)
        last = period_at(ctx.now, unit, -1 if self.sign < 0 else count)
        return Interval(first.start, last.end, "range") if first and last and first.start < last.end else None


@dataclass(frozen=True, slots=True)
class Within(When):
    """As in "who called within two days": of what is over the last ones, and otherwise the next ones."""

    amount: Amount

    def resolve(self, ctx: Context) -> Interval | None:
        is_over = ctx.has_verb and ctx.direction == "past"
        return Run(self.amount, -1 if is_over else 1).resolve(ctx)


@dataclass(frozen=True, slots=True)
class BusinessDays(When):
    """As in "the next four business days": Monday to Friday; public holidays are not known."""

    count: int
    sign: Literal[-1, 1]

    def resolve(self, ctx: Context) -> Interval | None:
        weekend_starts, most = 5, 400
        days: list[Period] = []
        for step in range(1, most):
            day = period_at(ctx.now, "day", step * self.sign)
            if day is None:
                return None
            if day.start.weekday() < weekend_starts:
                days.append(day)
            if days and len(days) == self.count:
                return Interval(min(days[0].start, days[-1].start), max(days[0].end, days[-1].end), "range")
        return None
