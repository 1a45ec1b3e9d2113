"""A document in passages for a reader, each with the memories that came from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from banks.models import Bank, Chunk, Document, MemoryUnit, UnitSource
from banks.models.bank import VECTOR_COLUMNS
from memoryplatform.operations.documents import find_chunks


@dataclass(frozen=True)
class PlacedSource:
    """The characters of a document that a memory came from. Without a place it came from the whole chunk."""

    unit: MemoryUnit
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Passage:
    """The characters of a document from the end of the passage before to the end of a chunk: chunks overlap."""

    said_at: datetime
    start: int
    text: str
    sources: list[PlacedSource]


def read_passages(bank: Bank, document: Document, *, start: int, limit: int) -> tuple[list[Passage], int | None]:
    """The passages from the character `start` on, and where the next page begins. Call inside a tenant transaction."""
    chunks = list(find_chunks(bank, document).filter(end__gt=start).order_by("start", "position")[: limit + 1])
    sources = read_sources(bank, chunks)
    passages: list[Passage] = []
    for chunk in chunks[:limit]:
        end = max(start, chunk.end)
        within = [one for place, one in sources if start <= place < end]
        passages.append(Passage(chunk.said_at, start, document.text[start:end], within))
        start = end
    return passages, start if len(chunks) > limit else None


def read_sources(bank: Bank, chunks: Sequence[Chunk]) -> list[tuple[int, PlacedSource]]:
    """Each source with the character where a reader looks for it, in their order."""
    starts = {chunk.id: chunk.start for chunk in chunks}
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__in=list(starts)).select_related("unit")
    placed: list[tuple[int, PlacedSource]] = []
    for source in rows.defer(*(f"unit__{column}" for column in VECTOR_COLUMNS)).order_by("start", "id"):
        begin = starts[source.chunk_id]  # type: ignore[index]  # the filter asks for it
        if source.start is None or source.end is None:
            placed.append((begin, PlacedSource(source.unit, None, None)))
        else:
            placed.append((begin + source.start, PlacedSource(source.unit, begin + source.start, begin + source.end)))
    return sorted(placed, key=lambda one: one[0])
