"""Dates as a reader of memories needs them: in words, with the weekday, in the zone of the question."""

from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from banks.dates.describe import describe_date
from retrieval.types import Candidate

DAY = timedelta(days=1)


def describe_day(moment: datetime, zone: tzinfo | None) -> str:
    return name_day(localise(moment, zone).date())


@lru_cache(maxsize=4_096)
def name_day(day: date) -> str:
    """Kept: a hundred memories were told on a few days."""
    start = datetime.combine(day, time())
    return describe_date(start, start, "day")


def describe_occurrence(candidate: Candidate, zone: tzinfo | None) -> str:
    """Empty where it has no date of its own. An end is exclusive."""
    if candidate.occurred_start is None:
        return ""
    start = localise(candidate.occurred_start, zone)
    end = localise(candidate.occurred_end, zone) if candidate.occurred_end else start
    return name_day(start.date()) if end - start <= DAY else describe_date(start, end, "range")


def localise(moment: datetime, zone: tzinfo | None) -> datetime:
    """A moment at the edge of the calendar has no day in another zone and stays as it is."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def get_happened_at(candidate: Candidate) -> datetime:
    return candidate.occurred_start or candidate.mentioned_at
