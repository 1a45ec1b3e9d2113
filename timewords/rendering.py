"""Dates in English words, and the zone to write them in.

The names are written out, as strftime follows the locale of the process. The forms stand in stored and embedded texts.
Vectors and hashes of those are compared with older ones, so each form must stay the same to the letter.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

from timewords.find import find_dates
from timewords.types import FoundDate, Grain, last_moment

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
DAY = timedelta(days=1)
_SLACK = timedelta(minutes=1)  # an end may be given as the last minute or second of its day
_MIDNIGHT = time()
_QUARTER_HOUR = 15  # minutes: zones differ in steps of a quarter of an hour
_FARTHEST_WEST = timedelta(hours=10)  # Hawaii; the zones from there to New Zealand, 13 hours east, are told apart
_CLOCK_GRAINS = frozenset({"second", "minute", "hour"})
_NOON = 12
_FULL_STOP = re.compile(r"(?<!\.\w)\.(?=\s+[^\W\d_a-z]|\s*\Z)")  # not the one of "8 p.m."


def write_month(moment: datetime) -> str:
    """June 2024"""
    return f"{MONTHS[moment.month - 1]} {moment.year}"


def write_weekday(moment: datetime) -> str:
    """Saturday"""
    return WEEKDAYS[moment.weekday()]


def write_day(moment: datetime) -> str:
    """June 8, 2024"""
    return f"{MONTHS[moment.month - 1]} {moment.day}, {moment.year}"


def write_two_digit_day(moment: datetime) -> str:
    """June 08, 2024"""
    return f"{MONTHS[moment.month - 1]} {moment.day:02}, {moment.year}"


def write_day_of_year(moment: datetime) -> str:
    """June 8"""
    return f"{MONTHS[moment.month - 1]} {moment.day}"


def write_day_first(moment: datetime) -> str:
    """8 June 2024"""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def write_day_of_week(moment: datetime) -> str:
    """Saturday, June 8, 2024"""
    return f"{WEEKDAYS[moment.weekday()]}, {MONTHS[moment.month - 1]} {moment.day}, {moment.year}"


def write_day_of_week_first(moment: datetime) -> str:
    """Saturday, 08 June 2024"""
    return f"{WEEKDAYS[moment.weekday()]}, {moment.day:02} {MONTHS[moment.month - 1]} {moment.year}"


def describe_date(start: datetime | None, end: datetime | None, grain: Grain) -> str:
    """Examples: "Saturday, June 8, 2024", "November 2023", "week of Monday, May 6, 2024", "since March 2020".

    A grain that is coarser than the interval wins.
    """
    if start is None and end is None:
        raise ValueError("a date without a start and an end has no description")
    if start is None:
        return f"before {_write_moment(end, grain)}"
    if end is None:
        return f"since {_write_moment(start, grain)}"
    if grain == "range" or (grain == "hour" and end - start > timedelta(hours=1)):
        return _write_range(start, end)
    if grain == "quarter":
        is_calendar_quarter = start.month % 3 == 1
        return f"Q{(start.month + 2) // 3} {start.year}" if is_calendar_quarter else _write_range(start, end)
    return _write_moment(start, grain)


def _write_moment(moment: datetime | None, grain: Grain) -> str:
    if moment is None:
        return ""
    if grain in _CLOCK_GRAINS:
        return f"{write_day_of_week(moment)}, {_write_clock(moment)}"
    monday = moment - timedelta(days=min(moment.weekday(), moment.toordinal() - 1))
    by_grain: dict[str, str] = {
        "week": f"week of {write_day_of_week(monday)}",
        "month": write_month(moment),
        "year": str(moment.year),
        "decade": f"the {moment.year // 10 * 10}s",
        "century": f"{moment.year}-{moment.year + 99}",
    }
    return by_grain.get(grain) or write_day_of_week(moment)


def _write_range(first: datetime, end: datetime) -> str:
    last = last_moment(end)
    if first.date() == last.date():
        return f"{write_day_of_week(first)}, {_write_clock(first)} to {_write_clock(end)}"
    if first.day == 1 and (last.date() == date.max or (last + DAY).day == 1):
        months = (write_month(moment) for moment in (first, last))
        return " to ".join(dict.fromkeys(months))
    return f"{write_day_of_week(first)} to {write_day_of_week(last)}"


def _write_clock(moment: datetime) -> str:
    hour = moment.hour % _NOON or _NOON
    minute = f":{moment.minute:02}" if moment.minute else ""
    return f"{hour}{minute} {'AM' if moment.hour < _NOON else 'PM'}"


def with_absolute_dates(text: str, *, said_at: datetime) -> str:
    """The text with the absolute date in brackets after each relative expression."""
    pieces: list[str] = []
    position = 0
    for found in find_dates(text, said_at=said_at):
        if found.is_relative:
            end = find_place(text, found)
            pieces.append(f"{text[position:end]} ({describe_date(found.start, found.end, found.grain)})")
            position = end
    return "".join(pieces) + text[position:]


def find_place(text: str, found: FoundDate) -> int:
    """The place of the absolute date: before a full stop that was read as a part of the expression."""
    end = found.span[1]
    return end - 1 if _FULL_STOP.match(text, end - 1) else end


def find_zone(start: datetime, end: datetime | None, zone: tzinfo | None) -> tzinfo | None:
    """The zone in which to write an interval, so that "on April 25" stays the 25th wherever a reader is.

    Whole days are written in the zone in which they begin at midnight. A start without an end is a plain date if it is
    midnight in UTC. Anything else is written in `zone`, that of the reader.
    """
    start = localise(start, UTC)
    if end is None or end == start:
        return UTC if start.time() == _MIDNIGHT else zone
    if not _is_whole_days(start, end) or localise(start, zone).time() == _MIDNIGHT:
        return zone
    since_midnight = start - start.replace(hour=0, minute=0)
    return timezone(-since_midnight if since_midnight <= _FARTHEST_WEST else DAY - since_midnight)


def _is_whole_days(start: datetime, end: datetime) -> bool:
    begins_a_day_somewhere = start.minute % _QUARTER_HOUR == start.second == start.microsecond == 0
    return begins_a_day_somewhere and end - start >= DAY - _SLACK and (end - start + _SLACK) % DAY <= _SLACK


def localise(moment: datetime, zone: tzinfo | None) -> datetime:
    """The moment in a zone. At the edge of the calendar, where another zone has no day, it stays as it is."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
