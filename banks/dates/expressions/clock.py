"""Times of day, alone and on a date."""

from dataclasses import dataclass
from datetime import datetime

from banks.dates.context import Context
from banks.dates.expressions.when import Value, When
from banks.dates.interval import Interval, shift, span_of
from banks.dates.types import Grain

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
        """Without am or pm: the one in waking hours."""
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
    """A number that may be an hour: it needs a word such as "at" beside it, or another hour."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ClockRange(Value):
    """From the first to the second, over midnight where the second is earlier."""

    first: Clock
    second: Clock

    def settled(self) -> "ClockRange":
        """As in "2 to 4pm" and "8am to 3": what is sure about one end is used for the other."""
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
    date: When
    clock: Clock

    @property
    def is_relative(self) -> bool:
        return self.date.is_relative

    def resolve(self, ctx: Context) -> Interval | None:
        day = self.date.period(ctx)
        moment = self.clock.likely().on(day.start) if day and is_one_day(day.grain) else None
        return span_of(moment, self.clock.grain).as_interval() if moment else None


@dataclass(frozen=True, slots=True)
class During(When):
    date: When
    hours: ClockRange

    @property
    def is_relative(self) -> bool:
        return self.date.is_relative

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
