"""Times with two named ends, and times with one."""

from dataclasses import dataclass
from typing import Literal

from banks.dates.context import Context
from banks.dates.expressions.steps import Amount
from banks.dates.expressions.weekly import DayOfMonth, Weekday
from banks.dates.expressions.when import When
from banks.dates.expressions.yearly import Yearly
from banks.dates.interval import Interval, Period, shift

Side = Literal["before", "until", "since", "after"]


@dataclass(frozen=True, slots=True)
class Range(When):
    """Both ends are inside. An end without a year takes it from the other, or lies just beyond it."""

    first: When
    second: When

    @property
    def is_relative(self) -> bool:
        if isinstance(self.second, Yearly) and isinstance(self.first, Yearly):
            return self.first.year is None and self.second.year is None
        return self.first.is_relative or self.second.is_relative

    def resolve(self, ctx: Context) -> Interval | None:
        ends = self._ends(ctx)
        if ends is None or ends[0].start >= ends[1].end:
            return None
        return Interval(ends[0].start, ends[1].end, "range")

    def _ends(self, ctx: Context) -> tuple[Period, Period] | None:
        if _leads(self.second, self.first, ctx):
            second = self.second.period(ctx)
            first = self.first.period(ctx.seen_from(second.start, "past")) if second else None
        else:
            first = self.first.period(ctx)
            second = self.second.period(ctx.seen_from(first.start, "future")) if first else None
            if not _can_move(self.second):
                second = self.second.period(ctx)
        return (first, second) if first and second else None


def _can_move(end: When) -> bool:
    return isinstance(end, Yearly | Weekday | DayOfMonth)


def _leads(second: When, first: When, ctx: Context) -> bool:
    """Whether the second end is the one that is known."""
    if not _can_move(first):
        return False
    if isinstance(first, Yearly) and first.year is not None:
        return False
    if isinstance(second, Yearly):
        return second.year is not None or ctx.direction == "future"
    return not _can_move(second)


@dataclass(frozen=True, slots=True)
class Open(When):
    side: Side
    anchor: When

    @property
    def is_relative(self) -> bool:
        return self.anchor.is_relative

    def resolve(self, ctx: Context) -> Interval | None:
        anchor = self.anchor.period(ctx)
        if anchor is None:
            return None
        match self.side:
            case "before":
                return Interval(None, anchor.start, anchor.grain)
            case "until":
                return Interval(None, anchor.end, anchor.grain)
            case "since":
                return Interval(anchor.start, None, anchor.grain)
            case "after":
                return Interval(anchor.end, None, anchor.grain)


@dataclass(frozen=True, slots=True)
class Lasting(When):
    """As in "for three days from today": a start and a length."""

    start: When
    amount: Amount

    @property
    def is_relative(self) -> bool:
        return True

    def resolve(self, ctx: Context) -> Interval | None:
        start = self.start.period(ctx)
        end = self.amount.from_moment(start.start, 1) if start else None
        return Interval(start.start, end, "range") if start and end and end > start.start else None


@dataclass(frozen=True, slots=True)
class FarFrom(When):
    """While "more than two weeks before today" is open, "less than three days after tomorrow" is a range."""

    more: bool
    amount: Amount
    sign: int
    anchor: When

    def resolve(self, ctx: Context) -> Interval | None:
        anchor = self.anchor.period(ctx)
        far = self.amount.from_moment(anchor.start, self.sign) if anchor else None
        if anchor is None or far is None:
            return None
        if self.more:
            return Interval(None, far, "range") if self.sign < 0 else Interval(shift(far, 1, "day"), None, "range")
        return Interval(min(far, anchor.start), max(far, anchor.start), "range")
