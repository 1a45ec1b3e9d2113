"""Dates that the model left in words, settled by the calendar. It is asked for absolute ones and may forget."""

import re
from dataclasses import replace
from datetime import datetime

from banks.dates import FoundDate, describe_date, find_dates, with_absolute_dates
from banks.dates.in_words import WEEKDAYS
from banks.retain.types import Dimensions
from providers.llm.prompting.moments import Occurrence, read_occurrence

ALPHABETIC = re.compile(r"[^\W\d_]+")
WEEKDAY_WORDS = {day.casefold() for day in WEEKDAYS}
LONGEST_DATE = 200  # characters: what is longer is no date, and not worth searching for one


def settle_dates(dimensions: Dimensions, *, said_at: datetime) -> Dimensions:
    """`when` with its true weekday; a relative date in `what` gets its day where no absolute one stands anywhere."""
    when = settle_when(dimensions.when, said_at=said_at)
    found = [*find_dates(when, said_at=said_at), *find_dates(dimensions.what, said_at=said_at)]
    if not found or not all(date.is_relative for date in found):
        return replace(dimensions, when=when)
    return replace(dimensions, when=when, what=with_absolute_dates(dimensions.what, said_at=said_at))


def settle_when(when: str, *, said_at: datetime) -> str:
    """A wrong or missing weekday, ISO digits and "yesterday" give way to the day; other words and languages stay."""
    found = find_only_date(when, said_at=said_at)
    if found is None or found.text != when:
        return when
    described = describe_date(found.start, found.end, found.grain)
    foreign = list_words(when) - list_words(described) - WEEKDAY_WORDS
    return described if found.is_relative or (found.grain == "day" and not foreign) else when


def list_words(text: str) -> set[str]:
    return set(ALPHABETIC.findall(text.casefold()))


def find_occurrence(start: str, end: str, when: str, *, said_at: datetime) -> Occurrence:
    """From the structured dates; where they say nothing, from the only date that `when` names."""
    occurred = read_occurrence(start, end, zone=said_at.tzinfo)
    if occurred.is_known:
        return occurred
    found = find_only_date(start, said_at=said_at) or find_only_date(when, said_at=said_at)
    return Occurrence(found.start, found.end) if found else occurred


def find_only_date(text: str, *, said_at: datetime) -> FoundDate | None:
    found = find_dates(text, said_at=said_at) if len(text) <= LONGEST_DATE else []
    return found[0] if len(found) == 1 else None
