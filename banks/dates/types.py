from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

Grain = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "range"]

START_OF_TIME = datetime.combine(date.min, time.min)
END_OF_TIME = datetime.combine(date.max, time.max)
_TICK = timedelta(microseconds=1)


def last_moment(end: datetime) -> datetime:
    """The inclusive form of an exclusive end.

    The end of time has no moment after it and its start none before it: both stand for themselves.
    """
    return end if end.replace(tzinfo=None) in (START_OF_TIME, END_OF_TIME) else end - _TICK


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A time expression in a text and the half-open interval [start, end) that it names.

    `None` stands for an open end ("since 2019", "before 2020"); at least one end is set. `grain` is the precision
    that was said, which may be coarser than the interval: "two months ago" is one day with the grain "month".
    The interval of the year 9999 ends at END_OF_TIME, as no moment after it can be written.
    """

    span: tuple[int, int]
    text: str
    start: datetime | None
    end: datetime | None
    grain: Grain
    is_relative: bool
    said_at: datetime

    @property
    def is_past(self) -> bool:
        return self.end is not None and self.end <= self.said_at


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The time that a query asks about: [start, end), `None` for an open end, and the words that say so.

    `languages` are those that know these words, the likeliest first; none where they are English or digits.
    """

    start: datetime | None
    end: datetime | None
    grain: Grain
    span: tuple[int, int]
    text: str
    languages: tuple[str, ...] = ()

    @property
    def last(self) -> datetime | None:
        """The last moment inside the window, for those who compare with an inclusive end."""
        return None if self.end is None else last_moment(self.end)
