"""States that are told before they begin: "From March 2027 I work at Bosch"."""

import re
from datetime import datetime

from banks.dates import FoundDate, find_dates

OPENS = re.compile(r"\b(?:from|(?:as|effective)(?: of| from)?)(?: the)?\s*$", re.IGNORECASE)
MAY_OPEN = re.compile(r"\b(?:from|as of|effective|starting|beginning)\b", re.IGNORECASE)


def find_beginning(sentence: str, *, said_at: datetime) -> datetime | None:
    """The time ahead from which the sentence says it is so.

    Of one that is past nothing is taken: who says "since 2020" tells no news of that year, and what was told of another
    employer between then and now would count as newer.
    """
    if not MAY_OPEN.search(sentence):
        return None
    dates = find_dates(sentence, said_at=said_at)
    opening = (date.start for date in dates if opens_a_state(date, sentence))
    return next((start for start in opening if start and start > said_at), None)


def opens_a_state(date: FoundDate, text: str) -> bool:
    """Whether the words say since when something is so: "since March", "from March on"."""
    return date.start is not None and (date.end is None or OPENS.search(text[: date.span[0]]) is not None)
