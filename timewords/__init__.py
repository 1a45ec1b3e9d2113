"""Dates and time windows in text, in ten languages: pure functions, see README.md."""

from timewords.find import find_dates, find_window, has_time_word
from timewords.folding import Folded, fold, fold_word
from timewords.rendering import describe_date, find_place, find_zone, localise, with_absolute_dates
from timewords.types import END_OF_TIME, START_OF_TIME, FoundDate, Grain, TimeWindow, last_moment

__all__ = [
    "END_OF_TIME",
    "START_OF_TIME",
    "Folded",
    "FoundDate",
    "Grain",
    "TimeWindow",
    "describe_date",
    "find_dates",
    "find_place",
    "find_window",
    "find_zone",
    "fold",
    "fold_word",
    "has_time_word",
    "last_moment",
    "localise",
    "with_absolute_dates",
]
