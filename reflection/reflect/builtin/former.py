"""Questions for what was so before: "Where did I work before?", "Who was my flatmate before Jonas?"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.dates import get_happened_at
from reflection.reflect.types import Labelled
from retrieval.query.history import speaks_of_past

NAME = r"[A-Z\u00c0-\u00de][\w'\u2019-]*"
BEFORE = re.compile(
    r"^(?P<asked>\W*(?i:what|where|who|whom|whose|which)\b.*\w),? (?i:before|prior to)"
    rf"(?: (?:that|then|this|now)| (?:the |my |our )?(?P<later>{NAME}(?: {NAME})*))?\W*$"
)
# "the day before" is a day.
DAY = re.compile(r"\b(?:day|night|evening|morning|week|weekend|month|year)$", re.IGNORECASE)


@dataclass(frozen=True)
class Former:
    """`question` asks for all that was ever so; `later` is the name of what came after, if one was given."""

    question: str
    later: str = ""

    def is_of_later(self, memory: Labelled) -> bool:
        return bool(self.later) and re.search(rf"(?<!\w){re.escape(self.later)}(?!\w)", memory.item.text) is not None


def read_former(question: str) -> Former | None:
    found = BEFORE.match(question)
    if found is None or DAY.search(found["asked"]) or not speaks_of_past(question):
        return None
    return Former(f"{found['asked']}?", found["later"] or "")


def leave_out_present(former: Former, pieces: Sequence[Piece]) -> list[Piece]:
    """What is over, where anything is known to be; else all but the latest, unless what came later has a name."""
    over = [piece for piece in pieces if piece.memory.item.candidate.expired_at is not None]
    if over or former.later:
        return over or list(pieces)
    by_time = sorted(pieces, key=lambda piece: get_happened_at(piece.memory.item.candidate))
    return [piece for piece in pieces if piece is not by_time[-1]] or list(pieces)
