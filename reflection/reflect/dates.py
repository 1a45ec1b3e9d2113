"""Dates as a reader of memories needs them: in words, with the weekday.

A moment is told in the zone of the question. A day that somebody named stays that day, wherever the question comes
from: "on April 25" is the 25th for everybody.
"""

from datetime import date, datetime, time, tzinfo
from functools import lru_cache

from banks.dates.describe import describe_date
from banks.dates.told_zone import DAY, find_zone, localise
from retrieval.types import Candidate


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
    zone = find_zone(candidate.occurred_start, candidate.occurred_end, zone)
    start = localise(candidate.occurred_start, zone)
    end = localise(candidate.occurred_end, zone) if candidate.occurred_end else start
    return name_day(start.date()) if end - start <= DAY else describe_date(start, end, "range")


def describe_edge(moment: datetime, candidate: Candidate | None, zone: tzinfo | None) -> str:
    """The day on which something began or ended to be so. What began with its event has the day of that."""
    end = candidate.occurred_end if candidate and candidate.occurred_start == moment else None
    return describe_day(moment, find_zone(moment, end, zone))


def find_first_day(start: datetime, end: datetime | None, zone: tzinfo | None) -> date:
    return localise(start, find_zone(start, end, zone)).date()


def get_happened_at(candidate: Candidate) -> datetime:
    return candidate.occurred_start or candidate.mentioned_at
