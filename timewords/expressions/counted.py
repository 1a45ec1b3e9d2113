"""Times that are counted from the moment of speaking or from another time, and times of day."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from timewords.expressions import Context, Value, When
from timewords.intervals import Interval, Period, grain_of, period_at, shift, span_of, truncate
from timewords.types import Grain

CLOCK_UNITS = {"second": 1, "minute": 60, "hour": 3600}
CALENDAR_RUNS = frozenset({"quarter", "decade", "century", "weekend"})  # "the last two quarters" are whole quarters


@dataclass(frozen=True, slots=True)
class Amount(Value):
    """A length of time: ((2, "hour"), (30, "minute")). `is_vague`: "a few days", "a couple of weeks"."""

    parts: tuple[tuple[float, str], ...]
    is_vague: bool = False

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
    """A date or year that is given in full."""

    period_: Period

    @property
    def is_relative(self) -> bool:
        return False

    def resolve(self, ctx: Context) -> Interval | None:
        return self.period_.as_interval()


@dataclass(frozen=True, slots=True)
class Instant(When):
    """A timestamp with an offset of its own, converted to the speaker's zone."""

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
    """A whole calendar unit: ("week", -1) is "last week", ("day", 0) is "today"."""

    unit: str
    steps: int

    def resolve(self, ctx: Context) -> Interval | None:
        found = period_at(ctx.now, self.unit, self.steps)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class NearestWeekend(When):
    """The last weekend that has begun, or the coming one in a clause about the future: "over the weekend"."""

    def resolve(self, ctx: Context) -> Interval | None:
        found = period_at(ctx.now, "weekend")
        if found and ctx.direction != "future" and found.start > ctx.now:
            found = period_at(ctx.now, "weekend", -1)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class ComingWeekend(When):
    """The first weekend that has not begun."""

    def resolve(self, ctx: Context) -> Interval | None:
        found = period_at(ctx.now, "weekend")
        if found and found.start <= ctx.now:
            found = period_at(ctx.now, "weekend", 1)
        return found.as_interval() if found else None


@dataclass(frozen=True, slots=True)
class Ago(When):
    """One day, or one moment for hours and less, with the unit as grain: "five days ago" (-1), "in two weeks" (1)."""

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
    """A length from another time: "three months after Easter". `is_ahead`: "a week from Friday" is from the next."""

    amount: Amount
    sign: int
    anchor: When
    is_ahead: bool = False

    def resolve(self, ctx: Context) -> Interval | None:
        anchor = self.anchor.period(ctx.pointing("future") if self.is_ahead else ctx)
        moment = self.amount.from_moment(anchor.start, self.sign) if anchor else None
        if moment is None or (self.amount.smallest in CLOCK_UNITS and anchor and anchor.grain not in CLOCK_UNITS):
            return None
        unit = self.amount.smallest if self.amount.smallest in CLOCK_UNITS else "day"
        return span_of(moment, unit).as_interval()


@dataclass(frozen=True, slots=True)
class Run(When):
    """A length from the day of speaking: "the last three weeks", "the next two months"."""

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
    """The last days beside a past verb ("who called within two days"), otherwise the next ones."""

    amount: Amount

    def resolve(self, ctx: Context) -> Interval | None:
        is_over = ctx.has_verb and ctx.direction == "past"
        return Run(self.amount, -1 if is_over else 1).resolve(ctx)


@dataclass(frozen=True, slots=True)
class BusinessDays(When):
    """Days from Monday to Friday, whatever the public holidays: "the next four business days"."""

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


NOON = 12
NIGHTFALL = 20
DAWN = 5
HOURS_IN_DAY = 24
_EARLIEST_LIKELY = 7  # "at 5" without am or pm is the afternoon, "at 9" the morning


@dataclass(frozen=True, slots=True)
class Clock(Value):
    hour: int
    minute: int = 0
    second: int = 0
    is_sure: bool = True
    grain: Grain = "minute"

    def likely(self) -> "Clock":
        """The time in waking hours, where neither am nor pm is given."""
        if self.is_sure or not 0 < self.hour < _EARLIEST_LIKELY:
            return self
        return self.in_half(pm=True)

    def in_half(self, *, pm: bool) -> "Clock":
        hour = self.hour % NOON + (NOON if pm else 0)
        return Clock(hour, self.minute, self.second, is_sure=True, grain=self.grain)

    @property
    def of_day(self) -> int:
        return self.hour * 3600 + self.minute * 60 + self.second

    def on(self, midnight: datetime) -> datetime | None:
        return shift(midnight, self.of_day, "second")


class BareHour(Clock):
    """A number that may be an hour. It counts only beside a word such as "at", or beside another hour."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ClockRange(Value):
    """From the first time of day to the second, over midnight where the second is earlier."""

    first: Clock
    second: Clock

    def settled(self) -> "ClockRange":
        """The am or pm of one end decides the other: "2 to 4pm", "8am to 3"."""
        first, second = self.first, self.second
        if first.is_sure and second.is_sure:
            return self
        if second.is_sure:
            options = [first.in_half(pm=second.hour >= NOON), first.in_half(pm=second.hour < NOON)]
            return ClockRange(next((o for o in options if o.of_day < second.of_day), options[0]), second)
        if not first.is_sure:
            first = first.likely()
        options = [second.in_half(pm=first.hour >= NOON), second.in_half(pm=first.hour < NOON)]
        return ClockRange(first, next((o for o in options if o.of_day > first.of_day), options[0]))


@dataclass(frozen=True, slots=True)
class At(When):
    """A time of day on a date."""

    date: When
    clock: Clock

    def resolve(self, ctx: Context) -> Interval | None:
        day = self.date.period(ctx)
        moment = self.clock.likely().on(day.start) if day and is_one_day(day.grain) else None
        return span_of(moment, self.clock.grain).as_interval() if moment else None


@dataclass(frozen=True, slots=True)
class During(When):
    """Hours of a date."""

    date: When
    hours: ClockRange

    def resolve(self, ctx: Context) -> Interval | None:
        day = self.date.period(ctx)
        if day is None or not is_one_day(day.grain):
            return None
        hours = self.hours.settled()
        start, end = hours.first.on(day.start), hours.second.on(day.start)
        if end and start and end <= start:
            end = shift(end, 1, "day")
        return Interval(start, end, "hour") if start and end else None


def is_one_day(grain: Grain) -> bool:
    return grain == "day"
