"""What was told to be so from a day that lies ahead: it is told after what holds, and with its day."""

from datetime import datetime

from banks.dates.in_words import write_day_first


def begins_after(valid_from: datetime | None, now: datetime) -> bool:
    return valid_from is not None and valid_from > now


def tell_with_day(text: str, begins: datetime) -> str:
    """As in "Lena works at Lidl (from 1 June 2027)."; words that name the year say so themselves."""
    if str(begins.year) in text:
        return text
    own = text.rstrip()
    end = own[-1:] if own.endswith((".", "!")) else ""
    return f"{own.removesuffix(end)} (from {write_day_first(begins)}){end}"
