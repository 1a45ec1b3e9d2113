from datetime import datetime, tzinfo

from banks.dates.word_lists import listed
from retrieval.types import Candidate

MONTHS = listed("January February March April May June July August September October November December")


def build_readable(candidate: Candidate, text: str, *, zone: tzinfo | None) -> str:
    """What the cross-encoder reads: "[Date: November 06, 2025 (2025-11-06)] context: text".

    The date is that of the event, else of its telling, in the zone of whoever asks; the month is in English whatever
    the locale. `text` is the candidate's, or the passage of it that matters.
    """
    told = f"{candidate.context}: {text}" if candidate.context else text
    return f"[Date: {write_date(candidate.occurred_start or candidate.mentioned_at, zone)}] {told}"


def write_date(moment: datetime, zone: tzinfo | None) -> str:
    try:
        day = moment.astimezone(zone).date()
    except OverflowError:  # the first and the last day of the calendar have no neighbour to fall on
        day = moment.date()
    return f"{MONTHS[day.month - 1]} {day.day:02}, {day.year} ({day.isoformat()})"
