from datetime import datetime

# Written out, because strftime follows the locale of the process.
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


def describe_day(moment: datetime) -> str:
    return f"{WEEKDAYS[moment.weekday()]}, {MONTHS[moment.month - 1]} {moment.day}, {moment.year}"


def heading(said_at: datetime) -> str:
    """Stands above a chunk where it is embedded or shown; no part of the chunk, so its spans and hash stay true."""
    return f"# {describe_day(said_at)}"
