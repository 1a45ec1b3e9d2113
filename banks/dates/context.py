from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

Direction = Literal["past", "future"]


@dataclass(frozen=True, slots=True)
class Context:
    """What an expression is resolved against: the wall clock of the speaker and which way an ambiguous one points.

    `today_counts`: whether a bare weekday may mean the day of speaking. Who says "on Monday" on a Monday means
    another one; who searches for it does not. `has_verb`: whether a verb says which way, and it is no guess.
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
        """Elapsed time, not time on the dial: they differ where the clock is changed."""
        try:
            elapsed = self.moment.astimezone(UTC) + timedelta(seconds=seconds)
            return elapsed.astimezone(self.moment.tzinfo).replace(tzinfo=None, fold=0)
        except (OverflowError, ValueError):
            return None

    def seen_from(self, moment: datetime, direction: Direction) -> "Context":
        return replace(self, now=moment, direction=direction, today_counts=True)

    def pointing(self, direction: Direction, *, has_verb: bool = False) -> "Context":
        return replace(self, direction=direction, has_verb=has_verb)
