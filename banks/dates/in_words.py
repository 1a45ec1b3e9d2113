"""Days and months in English words, written out because strftime follows the locale of the process.

Each function is a form that stands in stored, embedded or asked texts. Vectors and hashes of those are compared with
ones that were made long ago, so what a form writes stays what it is, to the letter.
"""

from datetime import datetime

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def write_month(moment: datetime) -> str:
    """June 2024"""
    return f"{MONTHS[moment.month - 1]} {moment.year}"


def write_weekday(moment: datetime) -> str:
    """Saturday"""
    return WEEKDAYS[moment.weekday()]


def write_day(moment: datetime) -> str:
    """June 8, 2024"""
    return f"{MONTHS[moment.month - 1]} {moment.day}, {moment.year}"


def write_two_digit_day(moment: datetime) -> str:
    """June 08, 2024"""
    return f"{MONTHS[moment.month - 1]} {moment.day:02}, {moment.year}"


def write_day_of_year(moment: datetime) -> str:
    """June 8"""
    return f"{MONTHS[moment.month - 1]} {moment.day}"


def write_day_first(moment: datetime) -> str:
    """8 June 2024"""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"


def write_day_of_week(moment: datetime) -> str:
    """Saturday, June 8, 2024"""
    return f"{WEEKDAYS[moment.weekday()]}, {MONTHS[moment.month - 1]} {moment.day}, {moment.year}"


def write_day_of_week_first(moment: datetime) -> str:
    """Saturday, 08 June 2024"""
    return f"{WEEKDAYS[moment.weekday()]}, {moment.day:02} {MONTHS[moment.month - 1]} {moment.year}"
