"""Times as mem0's callers write them: a day, a time, or seconds since 1970."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from rest_framework import serializers

from memoryplatform.api.v1.moments import MomentField, check_moment

TICK = timedelta(microseconds=1)
DAY = serializers.DateField()
MOMENT = MomentField()


@dataclass(frozen=True)
class Extent:
    """From `start` up to but not including `end`: a day, or a single moment."""

    start: datetime
    end: datetime


def read_extent(given: Any) -> Extent:
    if isinstance(given, int | float) and not isinstance(given, bool):
        moment = read_seconds(given)
        return Extent(moment, moment + TICK)
    if isinstance(given, str) and len(given) == len("2026-01-31"):
        day = read_day(given)
        start = datetime(day.year, day.month, day.day, tzinfo=UTC)
        check_moment(start)
        return Extent(start, start + timedelta(days=1))
    moment = MOMENT.run_validation(given)
    return Extent(moment, moment + TICK)


def read_seconds(given: float) -> datetime:
    try:
        moment = datetime.fromtimestamp(given, tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise serializers.ValidationError("Must lie between the years 1900 and 2200.") from None
    check_moment(moment)
    return moment


def read_day(given: Any) -> date:
    day: date = DAY.run_validation(given)
    return day
