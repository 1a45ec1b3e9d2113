"""Chunks, episodes and relationships that were found bring the units that rest on them.

Three channels do so, since each ranks differently: chunks by meaning, chunks by words, and what summarises several
turns.
"""

from collections.abc import Mapping
from math import inf
from uuid import UUID

from retrieval.lookups.resolving import Resolved
from retrieval.lookups.sources import SourceScores
from retrieval.types import Hit

Standing = tuple[float, float]  # of the source, of the unit itself
NOWHERE: Standing = (-inf, -inf)


def order_brought(scores: SourceScores, resolved: Resolved, own: Mapping[int, float] | None = None) -> list[Hit]:
    """A unit stands where its best source does, then by its `own` score, which is its cosine where none are given.

    A chunk that no unit tells stands for itself. Units go by the numbers of their ids, which are quicker than UUIDs.
    """
    best: dict[int, Standing] = {}
    ids: dict[int, UUID] = {}
    for source, score in scores.items():
        for unit_id, cosine in resolved.brought.get(source, ()):
            number = unit_id.int
            standing = score, cosine if own is None else own.get(number, 0.0)
            if standing > best.get(number, NOWHERE):
                best[number], ids[number] = standing, unit_id
    placed = [(-score, -of_unit, number, Hit("unit", ids[number], score)) for number, (score, of_unit) in best.items()]
    lone = [(chunk_id, scores[source]) for source, chunk_id in resolved.lone_chunks.items() if source in scores]
    placed += [(-score, -1.0, chunk_id.int, Hit("chunk", chunk_id, score)) for chunk_id, score in lone]
    return [hit for *_, hit in sorted(placed)]
