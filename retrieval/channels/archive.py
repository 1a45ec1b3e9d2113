"""The raw archive: chunks, episodes and relationships that were found bring the units that rest on them."""

from typing import Literal
from uuid import UUID

from retrieval.channels.search import Search
from retrieval.lookups.resolving import Resolved
from retrieval.lookups.sources import SourceScores
from retrieval.types import Hit

Standing = tuple[float, float]  # of the source, of the unit itself


def search_archive(search: Search) -> list[Hit]:
    """A unit stands where its best source does; those of one source in the order of their own cosine.

    A chunk that no unit tells stands for itself.
    """
    return order_brought(search.lookups.sources(), search.lookups.resolved())[: search.limits.rows]


def order_brought(scores: SourceScores, resolved: Resolved) -> list[Hit]:
    best: dict[tuple[Literal["unit", "chunk"], UUID], Standing] = {}
    for one in resolved.brought:
        standing = scores[one.source], one.cosine
        best["unit", one.unit_id] = max(best.get(("unit", one.unit_id), standing), standing)
    for source, chunk_id in resolved.lone_chunks.items():
        best["chunk", chunk_id] = scores[source], 1.0
    ordered = sorted(best.items(), key=lambda entry: (-entry[1][0], -entry[1][1], entry[0][1]))
    return [Hit(kind, row_id, score) for (kind, row_id), (score, _) in ordered]
