"""The same sentence from several memories, which is told once."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from banks.words import Network
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.types import Labelled

FACTS = {Network.WORLD, Network.EXPERIENCE}
WORD = re.compile(r"\w+")


def leave_out_repeats(pieces: Sequence[Piece]) -> list[Piece]:
    """A summary of one fact repeats its words, as may a passage: the fact stays. Facts in the same words are one if of
    the same time.
    """
    told = {read_words(piece) for piece in pieces if find_network(piece) in FACTS}
    return keep_first(piece for piece in pieces if not may_repeat(piece) or read_words(piece) not in told)


def leave_out_summaries(memories: Sequence[Labelled]) -> list[Labelled]:
    """For a count: what sums up facts is not one more of them. Where no fact was found it is all there is."""
    networks = {memory.item.candidate.network for memory in memories}
    if networks.isdisjoint(FACTS):
        return list(memories)
    return [memory for memory in memories if memory.item.candidate.network is not Network.OBSERVATION]


def keep_first(pieces: Iterable[Piece]) -> list[Piece]:
    kept: dict[tuple[tuple[str, ...], Network | None, date | None], Piece] = {}
    for piece in pieces:
        when = None if is_summary(piece) else find_time(piece.memory)
        kept.setdefault((read_words(piece), find_network(piece), when), piece)
    return list(kept.values())


def read_words(piece: Piece) -> tuple[str, ...]:
    """Of a text without any word all that it has."""
    return tuple(WORD.findall(piece.shown.casefold())) or (piece.shown,)


def find_time(memory: Labelled) -> date:
    candidate = memory.item.candidate
    return candidate.occurred_start or candidate.mentioned_at.date()


def may_repeat(piece: Piece) -> bool:
    """A passage of the archive has no network."""
    return is_summary(piece) or find_network(piece) is None


def is_summary(piece: Piece) -> bool:
    return find_network(piece) is Network.OBSERVATION


def find_network(piece: Piece) -> Network | None:
    return piece.memory.item.candidate.network
