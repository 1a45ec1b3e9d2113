"""Absolute dates in words, for texts that are embedded and read long after they were said."""

import re
from datetime import date, datetime, timedelta

from banks.dates.find import find_dates
from banks.dates.in_words import write_day_of_week, write_month
from banks.dates.types import FoundDate, Grain, last_moment

_CLOCK_GRAINS = frozenset({"second", "minute", "hour"})
_NOON = 12
_FULL_STOP = re.compile(r"(?<!\.\w)\.(?=\s+[^\W\d_a-z]|\s*\Z)")  # not that of "8 p.m."


def describe_date(start: datetime | None, end: datetime | None, grain: Grain) -> str:
    """As in "Saturday, June 8, 2024", "November 2023", "week of Monday, May 6, 2024", "since March 2020".

    The names are English whatever the process' locale. A grain that is coarser than the interval wins.
    """
    if start is None and end is None:
        raise ValueError("a date without a start and an end has no description")
    if start is None:
        return f"before {_moment_of(end, grain)}"
    if end is None:
        return f"since {_moment_of(start, grain)}"
    return _closed(start, end, grain)


def with_absolute_dates(text: str, *, said_at: datetime) -> str:
    """Puts the absolute date in brackets behind each relative expression; the rest stays as it is."""
    pieces: list[str] = []
    position = 0
    for found in find_dates(text, said_at=said_at):
        if found.is_relative:
            end = find_place(text, found)
            pieces.append(f"{text[position:end]} ({_describe(found)})")
            position = end
    return "".join(pieces) + text[position:]


def find_place(text: str, found: FoundDate) -> int:
    """Where the absolute date is put: before the sentence's full stop, which may have been read as a part of it."""
    end = found.span[1]
    return end - 1 if _FULL_STOP.match(text, end - 1) else end


def _describe(found: FoundDate) -> str:
    return describe_date(found.start, found.end, found.grain)


def _closed(start: datetime, end: datetime, grain: Grain) -> str:
    if grain == "range" or (grain == "hour" and end - start > timedelta(hours=1)):
        return _from_to(start, end)
    if grain == "quarter" and start.month % 3 == 1:
        return f"Q{(start.month + 2) // 3} {start.year}"
    if grain == "quarter":
        return _from_to(start, end)
    return _moment_of(start, grain)


def _moment_of(moment: datetime | None, grain: Grain) -> str:
    if moment is None:
        return ""
    if grain in _CLOCK_GRAINS:
        return f"{write_day_of_week(moment)}, {_clock(moment)}"
    by_grain: dict[str, str] = {
        "week": f"week of {write_day_of_week(moment - timedelta(days=min(moment.weekday(), moment.toordinal() - 1)))}",
        "month": write_month(moment),
        "year": str(moment.year),
        "decade": f"the {moment.year // 10 * 10}s",
        "century": f"{moment.year}-{moment.year + 99}",
    }
    return by_grain.get(grain) or write_day_of_week(moment)


def _from_to(first: datetime, end: datetime) -> str:
    last = last_moment(end)
    if first.date() == last.date():
        return f"{write_day_of_week(first)}, {_clock(first)} to {_clock(end)}"
    if first.day == 1 and _ends_month(last):
        months = (write_month(moment) for moment in (first, last))
        return " to ".join(dict.fromkeys(months))
    return f"{write_day_of_week(first)} to {write_day_of_week(last)}"


def _ends_month(moment: datetime) -> bool:
    return moment.date() == date.max or (moment + timedelta(days=1)).day == 1


def _clock(moment: datetime) -> str:
    hour = moment.hour % _NOON or _NOON
    minute = f":{moment.minute:02}" if moment.minute else ""
    return f"{hour}{minute} {'AM' if moment.hour < _NOON else 'PM'}"
