"""The look-up by words, which the keyword channel and the archive channels share.

The text index knows no filters and no points in time. Under either, the list goes deeper and hidden texts are dropped
from it. Where too few remain, the numbers of all visible texts are read, and BM25 ranks within them. So a filter
restricts before the cut, and one that hides little costs little.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np

from banks.models import Bank, Corpus
from banks.text_index.bm25 import RankedText
from banks.text_index.read import Numbers, QueryView, read_query
from retrieval.channels.archive import SourceKey, Unresolved, resolve, resolve_units
from retrieval.channels.historical_words import EditedUnits, rank_historical_words
from retrieval.channels.keyword import RankedWords
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import Scope
from retrieval.statements import read_rows, reading
from retrieval.threads import attempt
from retrieval.types import NO_VECTOR

logger = logging.getLogger(__name__)
HIDING_DEPTH = 5  # texts to look at for each wanted one, before all visible ones are read

# Every table names the tenant: row-level security then compares it once and not once a row.
VISIBLE_UNITS = """
SELECT 'unit', array_agg(unit.number) FROM banks_memoryunit AS unit WHERE {scope.unit} AND unit.number IS NOT NULL
"""
VISIBLE_SOURCES = """
WITH source AS MATERIALIZED (
    SELECT source.chunk_id, source.message_id, source.episode_id, source.unit_id, source.start, source."end"
    FROM banks_memoryunit AS unit JOIN banks_unitsource AS source ON source.unit_id = unit.id AND source.tenant_id = $1
    WHERE {scope.unit}
)
"""
VISIBLE_ARCHIVE: Mapping[Corpus, str] = {
    Corpus.CHUNK: """
SELECT 'chunk', array_agg(chunk.number) FROM banks_chunk AS chunk
WHERE {scope.chunk} AND chunk.number IS NOT NULL AND (
    ({scope.chunks_stand_alone} AND chunk.stands_alone) OR chunk.id IN (
        SELECT chunk_id FROM source WHERE chunk_id IS NOT NULL
        UNION
        SELECT part.chunk_id FROM source JOIN banks_chunkpart AS part ON part.message_id = source.message_id
         AND part.tenant_id = $1 AND source.start < part.message_end AND source."end" > part.message_start
    )
)""",
    Corpus.EPISODE: """
SELECT 'episode', array_agg(episode.number) FROM banks_episode AS episode
WHERE {scope.episode} AND episode.number IS NOT NULL AND episode.id IN (
    SELECT episode_id FROM source WHERE episode_id IS NOT NULL
    UNION
    SELECT message.episode_id FROM source JOIN banks_message AS message ON message.id = source.message_id
     AND message.tenant_id = $1 WHERE message.episode_id IS NOT NULL
)""",
    Corpus.RELATIONSHIP: """
SELECT 'relationship', array_agg(relationship.number) FROM banks_relationship AS relationship
WHERE {scope.relationship} AND relationship.number IS NOT NULL AND relationship.id IN (
    SELECT tie.relationship_id FROM banks_memoryunit AS unit
    JOIN banks_relationshipsource AS tie ON tie.unit_id = unit.id AND tie.tenant_id = $1 WHERE {scope.unit}
)""",
}


@dataclass(frozen=True)
class WordQuery:
    """`limits`: the most texts of each corpus. `with_retired`: superseded texts too.

    `is_restricted`: the scope hides texts that are not retired.
    """

    lexemes: Sequence[str]
    limits: Mapping[Corpus, int]
    scope: Scope
    is_restricted: bool
    with_retired: bool
    within_seconds: float | None
    known_at: datetime | None = None


def rank_by_words(bank: Bank, query: WordQuery) -> RankedWords:
    """The best visible texts of each corpus, by their number in the index."""
    if not query.lexemes or not query.limits:
        return {}
    with reading(bank.tenant_id, within_seconds=query.within_seconds):
        read = read_query(bank, query.limits, query.lexemes)
    if not query.is_restricted:
        return read.rank(query.limits, with_retired=query.with_retired)
    ranked = dict(rank_archive(bank, read, query))
    if Corpus.UNIT in query.limits:
        ranked[Corpus.UNIT] = rank_visible(bank, read, query, [Corpus.UNIT])[Corpus.UNIT]
        if query.known_at is not None:
            edited = EditedUnits(query.scope, query.known_at, query.limits[Corpus.UNIT], query.within_seconds)
            ranked[Corpus.UNIT] = rank_historical_words(bank, ranked[Corpus.UNIT], read, edited)
    return ranked


def rank_archive(bank: Bank, read: QueryView, query: WordQuery) -> RankedWords:
    """If a table of the archive can't be read, the units are still ranked. Its channels then resolve the list."""
    corpora = [corpus for corpus in query.limits if corpus != Corpus.UNIT]
    if not corpora:
        return {}
    ranked = attempt(partial(rank_visible, bank, read, query, corpora))
    if ranked.error is None:
        return ranked.get()
    logger.warning("The archive was ranked by words without its filters.", exc_info=ranked.error)
    return read.rank({corpus: query.limits[corpus] for corpus in corpora}, with_retired=query.with_retired)


def rank_visible(
    bank: Bank, read: QueryView, query: WordQuery, corpora: Sequence[Corpus]
) -> dict[Corpus, list[RankedText]]:
    limits = {corpus: query.limits[corpus] for corpus in corpora}
    deep = read.rank({corpus: HIDING_DEPTH * most for corpus, most in limits.items()}, with_retired=query.with_retired)
    kept = drop_hidden(bank, query, deep)
    lacking = [
        corpus
        for corpus, most in limits.items()
        if len(kept[corpus]) < most and len(deep[corpus]) == HIDING_DEPTH * most
    ]
    best = {corpus: kept[corpus][:most] for corpus, most in limits.items()}
    if not lacking:
        return best
    within = read_visible_numbers(bank, query, lacking)
    wanted = {corpus: limits[corpus] for corpus in lacking}
    return best | read.rank(wanted, with_retired=query.with_retired, within=within)


def drop_hidden(
    bank: Bank, query: WordQuery, ranked: Mapping[Corpus, Sequence[RankedText]]
) -> dict[Corpus, list[RankedText]]:
    """The texts that the scope shows, and the texts of the archive that lead to a unit which it shows."""
    if Corpus.UNIT in ranked:
        numbers = [text.number for text in ranked[Corpus.UNIT]]
        units = resolve_units(bank, query.scope, numbers, within_seconds=query.within_seconds).units
        return {Corpus.UNIT: [text for text in ranked[Corpus.UNIT] if text.number in units]}
    keys = [SourceKey(corpus, text.number) for corpus, texts in ranked.items() for text in texts]
    wanted = Unresolved(corpora=tuple(ranked), sources=keys)
    found = resolve(bank, NO_VECTOR, query.scope, wanted, within_seconds=query.within_seconds)
    shown = found.resting.keys() | found.lone_chunks.keys()
    return {
        corpus: [text for text in texts if SourceKey(corpus, text.number) in shown] for corpus, texts in ranked.items()
    }


def read_visible_numbers(bank: Bank, query: WordQuery, corpora: Sequence[Corpus]) -> dict[Corpus, Numbers]:
    statement = write_visible(query.scope, corpora)
    rows = read_rows(bank.tenant_id, statement, list_owners(bank), within_seconds=query.within_seconds)
    return {Corpus(corpus): np.array(numbers or (), dtype=np.int64) for corpus, numbers in rows}


def write_visible(scope: Scope, corpora: Sequence[Corpus]) -> str:
    if Corpus.UNIT in corpora:
        return VISIBLE_UNITS.format(scope=scope)
    parts = " UNION ALL ".join(VISIBLE_ARCHIVE[corpus] for corpus in corpora)
    return (VISIBLE_SOURCES + parts).format(scope=scope)
