"""The raw archive: chunks, episodes and relationships that were found bring the units that rest on them.

Three lists, since each ranks differently: chunks by meaning, chunks by words, and what summarises several turns.
"""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from banks.models import Corpus
from retrieval.channels.search import Search
from retrieval.lookups.resolving import Resolved
from retrieval.lookups.sources import SourceScores
from retrieval.types import Hit

Standing = tuple[float, float]  # of the source, of the unit itself


def search_archive(search: Search) -> list[Hit]:
    """Chunks by cosine; the units of one chunk in the order of their own."""
    resolved = search.lookups.resolved()
    own = {one.unit_id: one.cosine for one in resolved.brought}
    return order_brought(search.lookups.sources().chunks_by_meaning, resolved, own)[: search.limits.rows]


def search_archive_words(search: Search) -> list[Hit]:
    """Chunks by BM25; the units of one chunk in the order of their own."""
    resolved = search.lookups.resolved()
    ranked = search.lookups.words().get(Corpus.UNIT, ())
    own = {resolved.units[text.number]: text.score for text in ranked if text.number in resolved.units}
    return order_brought(search.lookups.sources().chunks_by_words, resolved, own)[: search.limits.rows]


def search_summaries(search: Search) -> list[Hit]:
    """Episodes by their narrative and relationships by their sentence."""
    resolved = search.lookups.resolved()
    own = {one.unit_id: one.cosine for one in resolved.brought}
    return order_brought(search.lookups.sources().summaries, resolved, own)[: search.limits.rows]


def order_brought(scores: SourceScores, resolved: Resolved, own: Mapping[UUID, float]) -> list[Hit]:
    """A unit stands where its best source does. A chunk that no unit tells stands for itself."""
    best: dict[tuple[Literal["unit", "chunk"], UUID], Standing] = {}
    for one in resolved.brought:
        if one.source in scores:
            standing = scores[one.source], own.get(one.unit_id, 0.0)
            best["unit", one.unit_id] = max(best.get(("unit", one.unit_id), standing), standing)
    for source, chunk_id in resolved.lone_chunks.items():
        if source in scores:
            best["chunk", chunk_id] = scores[source], 1.0
    ordered = sorted(best.items(), key=lambda entry: (-entry[1][0], -entry[1][1], entry[0][1]))
    return [Hit(kind, row_id, score) for (kind, row_id), (score, _) in ordered]
