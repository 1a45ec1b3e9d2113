"""Finds time expressions in text and resolves them to intervals in the speaker's time zone."""

from banks.dates.describe import describe_date, find_place, with_absolute_dates
from banks.dates.find import find_dates
from banks.dates.time_words import has_time_word
from banks.dates.types import FoundDate, Grain, TimeWindow, last_moment
from banks.dates.window import find_window

__all__ = [
    "FoundDate",
    "Grain",
    "TimeWindow",
    "describe_date",
    "find_dates",
    "find_place",
    "find_window",
    "has_time_word",
    "last_moment",
    "with_absolute_dates",
]
