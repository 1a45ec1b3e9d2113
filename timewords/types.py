"""Values that callers get: found dates, time windows, and how precise they are."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

Grain = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "range"]

START_OF_TIME = datetime.combine(date.min, time.min)
END_OF_TIME = datetime.combine(date.max, time.max)
_TICK = timedelta(microseconds=1)


def last_moment(end: datetime) -> datetime:
    """The inclusive form of an exclusive end. START_OF_TIME and END_OF_TIME stay as they are."""
    return end if end.replace(tzinfo=None) in (START_OF_TIME, END_OF_TIME) else end - _TICK


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A time expression and the half-open interval [start, end) that it names.

    - `span`: the place of `text` in the statement.
    - `start`, `end`: None for an open end ("since 2019", "before 2020"); at least one is set. The year 9999 ends at
      END_OF_TIME.
    - `grain`: the precision of the words, which may be coarser than the interval: "two months ago" is one day with the
      grain "month".
    - `is_relative`: the date depends on the moment of speaking.
    """

    span: tuple[int, int]
    text: str
    start: datetime | None
    end: datetime | None
    grain: Grain
    is_relative: bool


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The time that a query asks about: [start, end) in whole days, None for an open end.

    `languages` are the languages that know the words of the window, the likeliest first; empty for English and digits.
    """

    start: datetime | None
    end: datetime | None
    grain: Grain
    span: tuple[int, int]
    text: str
    languages: tuple[str, ...] = ()

    @property
    def last(self) -> datetime | None:
        """The last moment inside the window."""
        return None if self.end is None else last_moment(self.end)
