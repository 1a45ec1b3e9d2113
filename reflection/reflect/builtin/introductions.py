"""What the asker is called, where he told it as people do: "I'm Nadia, and I work as a nurse" has no word of a name."""

import re
from collections.abc import Sequence

from reflection.reflect.builtin.asker import find_asker
from reflection.reflect.builtin.pieces import Piece, cut_statements
from reflection.reflect.types import Labelled

ASKS = re.compile(
    r"^\W*(?:(?:please )?(?:do|can|could) you (?:still )?(?:know|remember|tell me) |(?:tell|remind) me (?:of )?)?"
    r"(?:what(?: is|['\u2019]s) my (?:first |own )?name|my (?:own )?name|what my (?:first |own )?name is"
    r"|what am i called|what i am called)\W*$",
    re.IGNORECASE,
)
# Alone, as a name stands: not "is German and ..." of a people, which no entity is called by.
IS_NAMED = (
    r"(?<!\w){asker}(?:['\u2019]s (?:first )?name)? is (?:called |named )?(?P<name>[A-Z\u00c0-\u00de][\w-]+)(?=[^\w]|$)"
)


def find_own_name(question: str, memories: Sequence[Labelled]) -> list[Piece]:
    """Of the only one who may ask, the latest first; empty where something else is asked for."""
    asker = find_asker(question, memories) if ASKS.match(question) else None
    if asker is None or not asker.name:
        return []
    told = re.compile(IS_NAMED.format(asker=re.escape(asker.name)))
    pieces = [piece for memory in memories for piece in cut_statements(memory, memory.item.text.strip())]
    found = [piece for piece in pieces if (name := told.search(piece.text)) and is_known(name["name"], piece)]
    return sorted(found, key=lambda piece: piece.memory.item.candidate.mentioned_at, reverse=True)[:1]


def is_known(name: str, piece: Piece) -> bool:
    entities = piece.memory.item.candidate.entities
    return any(name in entity.split() for entity in entities)
