"""What is so, before what was announced to take its place."""

import re
from collections.abc import Sequence
from datetime import datetime

from reflection.reflect.builtin.extracting import AS_NEAR
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.scoring import Nearness

OF_LATER = re.compile(
    r"\b(?:will|won['\u2019]t|going to|next|soon|future|plans?|planned|tomorrow)\b|['\u2019]ll\b", re.IGNORECASE
)


def put_present_first(
    question: str, pieces: Sequence[Piece], nearness: Nearness, moment: datetime | None
) -> tuple[Piece, ...]:
    """Unless it is asked what will be. An observation does not say what takes its place: there the day on which a
    piece begins tells, as long as the other one answers as well. Without the moment that is asked about no day does.
    """
    kept = list(pieces)
    for piece in pieces if not OF_LATER.search(question) else ():
        earlier = kept[: kept.index(piece)]
        coming = (place for place, other in enumerate(earlier) if takes_place(other, piece, nearness, moment))
        place = next(coming, None)
        if place is not None and is_so(piece, moment):
            kept.remove(piece)
            kept.insert(place, piece)
    return tuple(kept)


def takes_place(other: Piece, piece: Piece, nearness: Nearness, moment: datetime | None) -> bool:
    if other.memory.id == piece.memory.item.candidate.superseded_by:
        return True
    begins = other.memory.item.candidate.valid_from
    is_coming = moment is not None and begins is not None and begins > moment
    return is_coming and nearness.get(piece) >= nearness.get(other) * AS_NEAR


def is_so(piece: Piece, moment: datetime | None) -> bool:
    candidate = piece.memory.item.candidate
    if moment is None:
        return candidate.expired_at is None
    has_begun = candidate.valid_from is None or candidate.valid_from <= moment
    return has_begun and (candidate.valid_until is None or candidate.valid_until > moment)
