"""The texts to embed, one function for each kind of row.

A row is embedded when it is stored, and again after an import or an edit. The text depends only on the fields of the
row, so that it is the same each time.
"""

from datetime import datetime

from banks.enums import FACTUAL
from timewords.rendering import find_zone, localise, write_month


def build_unit_text(
    text: str, network: str, *, occurred_start: datetime | None = None, occurred_end: datetime | None = None
) -> str:
    """The text with a readable time after it, which helps a search with a time in it (TEMPR 2.2.2).

    Only facts get a time. Opinions and observations are compared by their words alone.
    """
    if occurred_start is None or network not in FACTUAL:
        return text
    return f"{text} (happened in {write_month(find_local_start(occurred_start, occurred_end))})"


def find_local_start(start: datetime, end: datetime | None) -> datetime:
    """The start in the speaker's zone: in UTC the first of June begins in May for everyone east of Greenwich.

    Whole days show their zone. Any other moment keeps its own.
    """
    return localise(start, find_zone(start, end, start.tzinfo))


def build_chunk_text(text: str, *, heading: str, context: str = "") -> str:
    """The caller's context and the date, then the chunk. A chunk of one message has no heading, so that it shares its
    vector with the unit of the same words.
    """
    return "\n".join(part for part in (context, heading, text) if part)


def build_episode_text(narrative: str, *, thread: str = "") -> str:
    """The narrative, or the thread's name before there is one."""
    return narrative or thread


def build_entity_text(name: str, summary: str) -> str:
    return f"{name}: {summary}" if summary else name
