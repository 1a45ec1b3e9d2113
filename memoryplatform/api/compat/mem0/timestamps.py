"""Times as mem0's callers write them: a day, a time, or seconds since 1970, as a number or as a text."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from rest_framework import serializers

from memoryplatform.api.v1.fields import TimeField, check_time

TICK = timedelta(microseconds=1)
DAY = serializers.DateField()
MOMENT = TimeField()
SECONDS = re.compile(r"\d{9,}(\.\d+)?", re.ASCII)  # eight digits are a day: 20260131


def read_extent(given: Any) -> tuple[datetime, datetime]:
    """The start and the exclusive end of a day, or of a single moment."""
    if isinstance(given, str) and SECONDS.fullmatch(given):
        given = float(given)
    if isinstance(given, int | float) and not isinstance(given, bool):
        moment = read_seconds(given)
        return moment, moment + TICK
    if isinstance(given, str) and len(given) == len("2026-01-31"):
        day = read_day(given)
        start = datetime(day.year, day.month, day.day, tzinfo=UTC)
        check_time(start)
        return start, start + timedelta(days=1)
    moment = MOMENT.run_validation(given)
    return moment, moment + TICK


def read_seconds(given: float) -> datetime:
    try:
        moment = datetime.fromtimestamp(given, tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise serializers.ValidationError("Must lie between the years 1900 and 2200.") from None
    check_time(moment)
    return moment


def read_day(given: Any) -> date:
    day: date = DAY.run_validation(given)
    return day
