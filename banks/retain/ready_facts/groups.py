from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from uuid import UUID

from banks.retain.ready_facts.chunks import FactChunk


@dataclass(frozen=True)
class FactGroup:
    """The facts of one chunk; `first` is the place of the first of them among all facts of the item."""

    chunk_id: UUID
    chunk: FactChunk
    first: int

    @property
    def places(self) -> range:
        return range(self.first, self.first + len(self.chunk.facts))


def group_facts(chunks: Sequence[tuple[UUID, FactChunk]]) -> tuple[FactGroup, ...]:
    """The chunks of one item, in the order of its facts, each with its row."""
    firsts = accumulate((len(chunk.facts) for _, chunk in chunks[:-1]), initial=0)
    return tuple(FactGroup(row_id, chunk, first) for (row_id, chunk), first in zip(chunks, firsts, strict=True))
