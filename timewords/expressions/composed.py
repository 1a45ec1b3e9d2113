"""Times made of other times: ranges, open ends, and parts such as the first Monday of a month."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from timewords.expressions import Context, When
from timewords.expressions.counted import Amount
from timewords.expressions.recurring import DayOfMonth, Weekday, Yearly
from timewords.intervals import DAYS_IN_WEEK, Interval, Period, grain_of, period_at, shift, span_of

Side = Literal["before", "until", "since", "after"]


@dataclass(frozen=True, slots=True)
class Range(When):
    """A range that includes both ends. An end without a year takes the year of the other one, or the next or last."""

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
    """Whether the first end is resolved from the second."""
    if not _can_move(first):
        return False
    if isinstance(first, Yearly) and first.year is not None:
        return False
    if isinstance(second, Yearly):
        return second.year is not None or ctx.direction == "future"
    return not _can_move(second)


@dataclass(frozen=True, slots=True)
class Open(When):
    """A time with one end: "since 2019", "before May"."""

    side: Side
    anchor: When

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
    """A start and a length: "for three days from today"."""

    start: When
    amount: Amount

    def resolve(self, ctx: Context) -> Interval | None:
        start = self.start.period(ctx)
        end = self.amount.from_moment(start.start, 1) if start else None
        return Interval(start.start, end, "range") if start and end and end > start.start else None


@dataclass(frozen=True, slots=True)
class FarFrom(When):
    """Open for "more than two weeks before today", a range for "less than three days after tomorrow"."""

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


Part = Literal["early", "mid", "late"]
_THURSDAY = 3


@dataclass(frozen=True, slots=True)
class Nth(When):
    """The n-th day, weekday or week of a longer time, counted from the end if negative; `count` of them.

    A week belongs to the month or year that holds its Thursday (ISO 8601).
    """

    n: int
    unit: str
    whole: When
    weekday: int | None = None
    count: int = 1

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
        """The n-th day that falls on `weekday`."""
        if self.n > 0:
            ahead = (weekday - whole.start.weekday()) % DAYS_IN_WEEK
            return shift(whole.start, ahead + DAYS_IN_WEEK * (self.n - 1), "day")
        behind = (whole.end.weekday() - weekday - 1) % DAYS_IN_WEEK + 1
        return shift(whole.end, -behind + DAYS_IN_WEEK * (self.n + 1), "day")


@dataclass(frozen=True, slots=True)
class Edge(When):
    """Early, mid or late: the thirds of a year; of anything else its halves, and its middle third."""

    part: Part
    whole: When

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
    """The moment at a share of the period: a midnight, or a year's start in a decade or century."""
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
    """The first or second half of a time, cut by today: "earlier this year" (-1), "later this week" (1).

    A question about "earlier this year" covers all of it up to today.
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
    """From today on: "the rest of the week"."""

    whole: When

    def resolve(self, ctx: Context) -> Interval | None:
        whole, today = self.whole.period(ctx), period_at(ctx.now, "day")
        return Interval(max(whole.start, today.start), whole.end, "range") if whole and today else None


@dataclass(frozen=True, slots=True)
class Beside(When):
    """A unit beside a date: "the weekend before my birthday on 3 May" (turn -1), "the week of the 18th" (turn 0)."""

    unit: str
    turn: int
    anchor: When
    weekday: int | None = None

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
    """The first such weekday from a date on: "two months from today on Tuesday"."""

    date: When
    day: Weekday

    def resolve(self, ctx: Context) -> Interval | None:
        start = self.date.period(ctx)
        return self.day.resolve(ctx.seen_from(start.start, "future")) if start else None


@dataclass(frozen=True, slots=True)
class DayIn(When):
    """A recurring day inside a longer time: "Tuesday of next week", "the 15th of next month"."""

    day: When
    whole: When

    def resolve(self, ctx: Context) -> Interval | None:
        whole = self.whole.period(ctx)
        found = self.day.period(ctx.seen_from(whole.start, "future")) if whole else None
        return found.as_interval() if whole and found and whole.holds(found) else None
