"""Values that rules find in a text: times that are not resolved yet, and the parts that times are made of.

A rule reads "the first Monday of next month" into `Nth(1, "day", CalendarUnit("month", 1), weekday=0)`. Only then the
value is resolved against a `Context`: the moment of speaking and the direction of ambiguous times.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from timewords.intervals import Interval, Period

Direction = Literal["past", "future", "nearest"]


@dataclass(frozen=True, slots=True)
class Context:
    """The moment of speaking, and where an ambiguous time ("on Friday", "in May") points from it.

    `moment` has a zone, `now` is the same moment on the wall clock. `today_counts` is true for a question: asked on a
    Monday, "on Monday" may be today, while a statement means another Monday. `has_verb` is true where a verb decided
    the direction.
    """

    moment: datetime
    now: datetime
    direction: Direction = "past"
    today_counts: bool = False
    has_verb: bool = False

    @classmethod
    def at(cls, moment: datetime, *, today_counts: bool) -> "Context":
        return cls(moment=moment, now=moment.replace(tzinfo=None, fold=0), today_counts=today_counts)

    def after_seconds(self, seconds: float) -> datetime | None:
        """Adds elapsed time, which differs from wall-clock time when summer time starts or ends."""
        try:
            elapsed = self.moment.astimezone(UTC) + timedelta(seconds=seconds)
            return elapsed.astimezone(self.moment.tzinfo).replace(tzinfo=None, fold=0)
        except (OverflowError, ValueError):
            return None

    def seen_from(self, moment: datetime, direction: Direction) -> "Context":
        return replace(self, now=moment, direction=direction, today_counts=True)

    def pointing(self, direction: Direction, *, has_verb: bool = False) -> "Context":
        return replace(self, direction=direction, has_verb=has_verb)


class Value:
    """Anything that a rule can find."""

    __slots__ = ()

    def children(self) -> Iterator["Value"]:
        """The values that this one is made of."""
        if is_dataclass(self):
            found = (getattr(self, field.name) for field in fields(self))
            yield from (part for part in found if isinstance(part, Value))


class When(Value, ABC):
    """A time that can be resolved against the moment of speaking."""

    __slots__ = ()

    @property
    def is_relative(self) -> bool:
        """Whether a reader needs the moment of speaking to understand the time, as in "May last year"."""
        wholes = [part for part in self.children() if isinstance(part, When)]
        return any(whole.is_relative for whole in wholes) if wholes else True

    @abstractmethod
    def resolve(self, ctx: Context) -> Interval | None: ...

    def period(self, ctx: Context) -> Period | None:
        """The resolved interval if it has both ends."""
        found = self.resolve(ctx)
        if found is None or found.start is None or found.end is None or found.start >= found.end:
            return None
        return Period(found.start, found.end, found.grain)
