"""Reads the dates in a model's answer. An unreadable date is dropped, never the fact."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

ISO_DATE = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?")
# Models write these years for "unknown" or "always", and a shift by a time zone can leave the range of datetime.
SENTINEL_YEARS = {1, 9999}
LAST_MONTH = 12
FARTHEST_ZONE = timedelta(hours=16)  # of the database; on earth it is 14


@dataclass(frozen=True)
class Span:
    """[start, end) of a day, a month, a year, or a moment, which has no length."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Occurrence:
    """`end` is exclusive."""

    start: datetime | None = None
    end: datetime | None = None

    @property
    def is_known(self) -> bool:
        return self.start is not None or self.end is not None


def read_occurrence(start: str, end: str, *, zone: tzinfo | None) -> Occurrence:
    """An end that is a date includes the whole of it. An end that is not after the start is ignored."""
    first, last = find_span(start, zone=zone), find_span(end, zone=zone)
    if first is None:
        return Occurrence(None, last.end if last else None)
    until = last.end if last else first.end
    return Occurrence(first.start, until if until > first.start else None)


def find_span(text: str, *, zone: tzinfo | None) -> Span | None:
    text = text.strip()
    try:
        span = parse_date(text, zone) or parse_moment(text, zone)
    except (ValueError, OverflowError):
        return None
    return None if {span.start.year, span.end.year} & SENTINEL_YEARS else span


def parse_date(text: str, zone: tzinfo | None) -> Span | None:
    """A year, a month or a day in numbers; None for any other form."""
    match = ISO_DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    start = datetime(year or 0, month or 1, day or 1, tzinfo=zone)
    if day:
        return Span(start, start + timedelta(days=1))
    if month and month < LAST_MONTH:
        return Span(start, start.replace(month=month + 1))
    return Span(start, start.replace(year=start.year + 1, month=1))


def parse_moment(text: str, zone: tzinfo | None) -> Span:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    if abs(moment.utcoffset() or timedelta()) >= FARTHEST_ZONE:
        raise ValueError("no zone is so far away")
    return Span(moment, round_up_day(moment))


def round_up_day(moment: datetime) -> datetime:
    """The last minute of a day means the end of the day, which is the beginning of the next one."""
    if (moment.hour, moment.minute) != (23, 59):
        return moment
    return moment.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
