"""How long before or after a question something happens, where the question asks for that."""

import re
from datetime import date, datetime

from banks.dates.told_zone import DAY
from reflection.reflect.dates import find_first_day
from retrieval.types import Candidate

ASKS = re.compile(
    r"\bago\b|\bhow (?:long|many (?:days?|weeks?|months?|years?))\b.{0,40}?\bsince\b|\bvor wie viel\w*"
    r"|\bil y a combien\b|\bhace cu[a\u00e1]nt[oa]s?\b"
    r"|\bhow (?:long|many (?:days?|weeks?|months?|years?))\b.{0,40}?\b(?:until|till|(?:left|to go) before)\b",
    re.IGNORECASE,
)
UNTIL = re.compile(
    r"^\W*how (?:long|many (?:days?|weeks?|months?|years?))\b.{0,40}?\b(?:until|till|(?:left|to go) before)"
    r" (?P<event>.+?)\W*$",
    re.IGNORECASE,
)
UNIT = re.compile(r"\bhow many (week|month|year)s?\b", re.IGNORECASE)
DAYS_OF_WEEK, MONTHS_OF_YEAR = 7, 12


def ask_when(question: str) -> str:
    """How long it is until something, as the question when that is: a memory of it has a date and no length of time."""
    until = UNTIL.match(question)
    return f"When is {until['event']}?" if until else question


def tell_elapsed(question: str, candidate: Candidate, asked_at: datetime) -> str:
    """As in "12 days before", and in whole weeks, months or years where these are asked for: between the day that was
    told and today, where the question is asked. Empty where the day is not known.
    """
    start, end = candidate.occurred_start, candidate.occurred_end
    if not ASKS.search(question) or start is None or (end is not None and end - start > DAY):
        return ""
    happened, asked = find_first_day(start, end, asked_at.tzinfo), asked_at.date()
    days = (asked - happened).days
    if days == 0:
        return "the same day"
    way, told = "before" if days > 0 else "after", name(abs(days), "day")
    found = UNIT.search(question)
    if found is None:
        return f"{told} {way}"
    whole = count_whole(found[1].lower(), min(happened, asked), max(happened, asked))
    return f"{name(whole, found[1].lower())}, {told}, {way}"


def count_whole(unit: str, first: date, last: date) -> int:
    if unit == "week":
        return (last - first).days // DAYS_OF_WEEK
    months = (last.year - first.year) * MONTHS_OF_YEAR + last.month - first.month - (last.day < first.day)
    return months if unit == "month" else months // MONTHS_OF_YEAR


def name(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
