"""The dates that a text names, as words in it and as the interval in which it happened."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from banks.dates import FoundDate, describe_date, find_dates, find_place
from banks.english.detection import LETTER_OR_DIGIT
from banks.english.edits import Edit


@dataclass(frozen=True)
class Dating:
    """`words` say when, with the weekday where a day is known; the interval is half open."""

    words: str = ""
    start: datetime | None = None
    end: datetime | None = None
    edits: tuple[Edit, ...] = ()


def find_dating(text: str, *, said_at: datetime, only_relative: bool = False) -> Dating:
    """What is said relative to the moment ("yesterday") tells best when it happened; else the first date does.

    `only_relative` is for texts that explain the world, whose years are history and not what happened to anybody here.
    """
    if not LETTER_OR_DIGIT.search(text):
        return Dating()
    found = [date for date in find_dates(text, said_at=said_at) if date.is_relative or not only_relative]
    if not found:
        return Dating()
    chosen = _tells_when(found)
    edits = tuple(_put_behind(text, date) for date in found if date.is_relative)
    return Dating(words=_described(chosen), start=chosen.start, end=chosen.end, edits=edits)


def _tells_when(found: Sequence[FoundDate]) -> FoundDate:
    closed = [date for date in found if date.start and date.end] or list(found)
    return next((date for date in closed if date.is_relative), closed[0])


def _put_behind(text: str, date: FoundDate) -> Edit:
    place = find_place(text, date)
    return Edit(place, place, f" ({_described(date)})")


def _described(date: FoundDate) -> str:
    return describe_date(date.start, date.end, date.grain)
