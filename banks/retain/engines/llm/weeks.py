from collections.abc import Iterator
from datetime import date

from banks.dates.in_words import WEEKDAYS

DAYS_IN_WEEK = 7
WEEKS_BEFORE = 2
WEEKS_AFTER = 1


def list_weeks_around(day: date) -> Iterator[str]:
    """The days by name, a week a line. Models know what "last Friday" means, but often not which day it was."""
    monday = day.toordinal() - day.weekday()
    for week in range(-WEEKS_BEFORE, WEEKS_AFTER + 1):
        start = monday + week * DAYS_IN_WEEK
        days = [date.fromordinal(one) for one in range(start, start + DAYS_IN_WEEK) if is_a_day(one)]
        if days:
            yield ", ".join(f"{WEEKDAYS[one.weekday()]} {one.isoformat()}" for one in days)


def is_a_day(ordinal: int) -> bool:
    return 1 <= ordinal <= date.max.toordinal()
