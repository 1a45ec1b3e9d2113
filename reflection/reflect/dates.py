"""Dates of memories in words, with the weekday.

A moment is described in the time zone of the question. A whole day keeps its date in every zone: "on April 25" is the
25th for everybody.
"""

from datetime import date, datetime, time, tzinfo
from functools import lru_cache

from retrieval.types import Candidate
from timewords.rendering import DAY, describe_date, find_zone, localise


def describe_day(moment: datetime, zone: tzinfo | None) -> str:
    return name_day(localise(moment, zone).date())


@lru_cache(maxsize=4_096)
def name_day(day: date) -> str:
    """Cached, because a hundred memories share a few days."""
    start = datetime.combine(day, time())
    return describe_date(start, start, "day")


def describe_occurrence(candidate: Candidate, zone: tzinfo | None) -> str:
    """Empty for a memory without an occurrence. `occurred_end` is exclusive."""
    if candidate.occurred_start is None:
        return ""
    zone = find_zone(candidate.occurred_start, candidate.occurred_end, zone)
    start = localise(candidate.occurred_start, zone)
    end = localise(candidate.occurred_end, zone) if candidate.occurred_end else start
    return name_day(start.date()) if end - start <= DAY else describe_date(start, end, "range")


def describe_edge(moment: datetime, candidate: Candidate | None, zone: tzinfo | None) -> str:
    """The day of `valid_from` or `valid_until`. A validity that starts with the event has the day of the event."""
    end = candidate.occurred_end if candidate and candidate.occurred_start == moment else None
    return describe_day(moment, find_zone(moment, end, zone))


def get_happened_at(candidate: Candidate) -> datetime:
    return candidate.occurred_start or candidate.mentioned_at
