"""When that happened which one sentence of a memory tells: a memory of two dated sentences has one date for both."""

from datetime import datetime, tzinfo

from banks.dates import FoundDate, find_dates
from banks.dates.told_zone import find_zone, localise
from reflection.reflect.builtin.pieces import Piece
from retrieval.types import Candidate


def date_piece(piece: Piece, zone: tzinfo | None) -> Candidate:
    """The memory with the date of what the piece tells: the one written in it where the memory's is written in another
    sentence, and none where it has none. A date that no sentence has is of the whole.
    """
    candidate = piece.memory.item.candidate
    start, end = candidate.occurred_start, candidate.occurred_end
    if start is None:
        return candidate
    told_at = localise(candidate.mentioned_at, find_zone(start, end, zone))
    own = list_written(piece.sentence, told_at) or list_written(piece.text, told_at)
    everywhere = list_written(candidate.text, told_at)
    if any(holds(date, start) for date in own) or not any(holds(date, start) for date in everywhere):
        return candidate
    first = next((date for date in own if date.start), None)
    if first is None:
        return candidate._replace(occurred_start=None, occurred_end=None)
    return candidate._replace(occurred_start=first.start, occurred_end=first.end)


def list_written(text: str, told_at: datetime) -> list[FoundDate]:
    """Those that hang on no moment of telling: with their year, or in the brackets that retain puts behind others."""
    return [
        date
        for date in find_dates(text, said_at=told_at)
        if not date.is_relative or (text[: date.span[0]].endswith("(") and text.startswith(")", date.span[1]))
    ]


def holds(date: FoundDate, moment: datetime) -> bool:
    return (date.start is None or date.start <= moment) and (date.end is None or moment < date.end)
