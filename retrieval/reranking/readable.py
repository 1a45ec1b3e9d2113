from datetime import datetime, tzinfo

from banks.dates.in_words import write_two_digit_day
from banks.dates.told_zone import find_zone, localise
from retrieval.types import Candidate


def build_readable(candidate: Candidate, text: str, *, zone: tzinfo | None) -> str:
    """What the cross-encoder reads: "[Date: November 06, 2025 (2025-11-06)] context: text".

    The date is that of the event, else of its telling, in the zone of whoever asks; a day that was told stays that
    day. The month is in English whatever the locale. `text` is the candidate's, or the passage of it that matters.
    """
    told = f"{candidate.context}: {text}" if candidate.context else text
    return f"[Date: {write_date(find_moment(candidate, zone))}] {told}"


def find_moment(candidate: Candidate, zone: tzinfo | None) -> datetime:
    start, end = candidate.occurred_start, candidate.occurred_end
    return localise(candidate.mentioned_at, zone) if start is None else localise(start, find_zone(start, end, zone))


def write_date(day: datetime) -> str:
    return f"{write_two_digit_day(day)} ({day.date().isoformat()})"
