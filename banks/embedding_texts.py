"""What the vector of a row is made of, a function a kind of row.

Vectors are made when a row is stored, and anew after an import, an edit and when something of the row was forgotten.
Each time it is the same text, made of what the row holds: a vector that differs by its head alone is found less well.
"""

from datetime import datetime

from banks.dates.in_words import write_month
from banks.dates.told_zone import find_zone, localise
from banks.words import FACTUAL


def build_unit_text(
    text: str, network: str, *, occurred_start: datetime | None = None, occurred_end: datetime | None = None
) -> str:
    """The text with a readable time behind it, which helps a search that names one (TEMPR 2.2.2).

    Only of what was told: opinions and observations are held, reworded and compared by their words alone.
    """
    if occurred_start is None or network not in FACTUAL:
        return text
    return f"{text} (happened in {write_month(find_told_day(occurred_start, occurred_end))})"


def find_told_day(start: datetime, end: datetime | None) -> datetime:
    """A row has its moments in UTC, where the first of June begins in May for all who live east of Greenwich.

    The zone of whole days shows in them; anything else is told by the zone that the moment comes with.
    """
    return localise(start, find_zone(start, end, start.tzinfo))


def build_chunk_text(text: str, *, heading: str, context: str = "") -> str:
    """What the caller said of the source and the date go before it: a piece alone rarely says what it is about."""
    return "\n".join([*([context] if context else []), heading, text])


def build_episode_text(narrative: str, *, thread: str = "") -> str:
    """One that nothing was told of yet has its thread's name."""
    return narrative or thread


def build_entity_text(name: str, summary: str) -> str:
    return f"{name}: {summary}" if summary else name
