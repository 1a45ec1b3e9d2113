"""The archive channels: chunks by meaning, chunks by words, and summaries (episodes and relationships).

A row of the archive leads to the units that rest on it. A chunk that no unit rests on is a hit itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import NamedTuple
from uuid import UUID

from banks.models import Bank, Corpus
from banks.text_index.bm25 import RankedText
from banks.vector_index.index import TABLES
from banks.vectors import write_vector
from providers.embedding.vector import Vector
from retrieval.channels.keyword import RankedWords
from retrieval.channels.semantic import CORPORA, Nearest, keep_near
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import Scope
from retrieval.fusion import add_reciprocal_ranks
from retrieval.statements import Row, read_rows, write_ids, write_numbers
from retrieval.types import Hit, NamedEntity

SUMMARIES = (Corpus.EPISODE, Corpus.RELATIONSHIP)

# Every table names the tenant: row-level security then compares it once and not once a row. $1 and $2 are tenant and
# bank, $3 numbers of units, $4 names, $5 the query's vector; then each corpus has two arrays.
FOUND = """{row} AS MATERIALIZED (
    SELECT {row}.id, {row}.number{more} FROM {table} AS {row}
    WHERE {condition} AND ({row}.number = ANY(${numbers}::int[]) OR {row}.id = ANY(${ids}::uuid[]))
)"""
# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that the chunk holds.
RESTING = {
    Corpus.CHUNK: """
    SELECT 'chunk' AS corpus, chunk.id, chunk.number, source.unit_id
    FROM chunk JOIN banks_unitsource AS source ON source.chunk_id = chunk.id AND source.tenant_id = $1
    UNION
    SELECT 'chunk', chunk.id, chunk.number, source.unit_id
    FROM chunk JOIN banks_chunkpart AS part ON part.chunk_id = chunk.id AND part.tenant_id = $1
    JOIN banks_unitsource AS source ON source.message_id = part.message_id
     AND source.tenant_id = $1 AND source.start < part.message_end AND source."end" > part.message_start""",
    Corpus.EPISODE: """
    SELECT 'episode' AS corpus, episode.id, episode.number, source.unit_id
    FROM episode JOIN banks_message AS message ON message.episode_id = episode.id AND message.tenant_id = $1
    JOIN banks_unitsource AS source ON source.message_id = message.id AND source.tenant_id = $1
    UNION
    SELECT 'episode', episode.id, episode.number, source.unit_id
    FROM episode JOIN banks_unitsource AS source ON source.episode_id = episode.id AND source.tenant_id = $1""",
    Corpus.RELATIONSHIP: """
    SELECT 'relationship' AS corpus, relationship.id, relationship.number, source.unit_id
    FROM relationship JOIN banks_relationshipsource AS source
      ON source.relationship_id = relationship.id AND source.tenant_id = $1""",
}
# OFFSET 0 keeps the look-up of a unit by its id apart: few units rest on the found rows, but the planner may expect as
# many as the bank has, and then reads all of them.
RESTING_UNITS = """
SELECT resting.corpus, resting.id, resting.number, unit.id, unit.distance, NULL
FROM resting CROSS JOIN LATERAL (
    SELECT unit.id, unit.{vector} <=> $5::vector AS distance
    FROM banks_memoryunit AS unit WHERE unit.id = resting.unit_id AND {scope.unit} OFFSET 0
) AS unit
"""
LONE_CHUNKS = """
SELECT 'chunk', chunk.id, chunk.number, NULL, NULL, NULL
FROM chunk
WHERE {scope.chunks_stand_alone} AND chunk.stands_alone
  AND chunk.id NOT IN (SELECT id FROM resting WHERE corpus = 'chunk')
"""
UNITS = """
SELECT 'unit', NULL::uuid, unit.number, unit.id, NULL::float8, NULL::text
FROM banks_memoryunit AS unit WHERE {scope.unit} AND unit.number = ANY($3::int[])
"""
ENTITIES = """
SELECT 'entity', NULL, NULL, name.entity_id, NULL, entity.name
FROM banks_entityname AS name JOIN banks_entity AS entity ON entity.id = name.entity_id AND entity.tenant_id = $1
WHERE name.tenant_id = $1 AND name.bank_id = $2 AND name.normalised_name = ANY($4::text[])
"""
FIRST_OF_CORPORA = 6


class SourceKey(NamedTuple):
    """A row of the archive: by its number in the text index, or by its id while it has none."""

    corpus: Corpus
    key: int | UUID


class RestingUnit(NamedTuple):
    """A unit that rests on a source, and its own cosine to the query."""

    unit_id: UUID
    cosine: float


SourceScores = dict[SourceKey, float]


@dataclass(frozen=True)
class Sources:
    """The rows of the archive to follow, with their scores. Chunks have one order by meaning and one by words;
    summaries have one for both.
    """

    chunks_by_meaning: SourceScores = field(default_factory=dict)
    chunks_by_words: SourceScores = field(default_factory=dict)
    summaries: SourceScores = field(default_factory=dict)

    @property
    def keys(self) -> list[SourceKey]:
        return list(self.chunks_by_meaning | self.chunks_by_words | self.summaries)


@dataclass(frozen=True)
class Resolved:
    """Visible units by their number in the text index, units by source, and entities that the query names.

    No unit rests on `lone_chunks`, visible or not, and none ever did: a superseded or deleted memory does not come back
    as evidence.
    """

    units: dict[int, UUID] = field(default_factory=dict)
    resting: Mapping[SourceKey, Sequence[RestingUnit]] = field(default_factory=dict)
    lone_chunks: dict[SourceKey, UUID] = field(default_factory=dict)
    entities: tuple[NamedEntity, ...] = ()


@dataclass(frozen=True)
class Unresolved:
    """Numbers of units, rows of the archive's `corpora`, and candidates for entity names."""

    unit_numbers: Sequence[int] = ()
    corpora: tuple[Corpus, ...] = ()
    sources: Sequence[SourceKey] = ()
    names: Sequence[str] = ()


def search_chunks_by_meaning(sources: Sources, resolved: Resolved, most: int) -> list[Hit]:
    return order_units(sources.chunks_by_meaning, resolved)[:most]


def search_chunks_by_words(sources: Sources, resolved: Resolved, ranked: Sequence[RankedText], most: int) -> list[Hit]:
    """The units of one chunk are ordered by their own BM25."""
    own = {resolved.units[text.number].int: text.score for text in ranked if text.number in resolved.units}
    return order_units(sources.chunks_by_words, resolved, own)[:most]


def search_summaries(sources: Sources, resolved: Resolved, most: int) -> list[Hit]:
    return order_units(sources.summaries, resolved)[:most]


def order_units(scores: SourceScores, resolved: Resolved, own: Mapping[int, float] | None = None) -> list[Hit]:
    """A unit has the score of its best source. Ties go by the unit's `own` score, or its cosine if none is given.

    Dictionaries use the integers of the ids, which hash faster than UUIDs.
    """
    best: dict[int, tuple[float, float]] = {}
    ids: dict[int, UUID] = {}
    for source, score in scores.items():
        for unit_id, cosine in resolved.resting.get(source, ()):
            number = unit_id.int
            standing = score, cosine if own is None else own.get(number, 0.0)
            if standing > best.get(number, (-inf, -inf)):
                best[number], ids[number] = standing, unit_id
    placed = [(-score, -of_unit, number, Hit("unit", ids[number], score)) for number, (score, of_unit) in best.items()]
    lone = [(chunk_id, scores[source]) for source, chunk_id in resolved.lone_chunks.items() if source in scores]
    placed += [(-score, -1.0, chunk_id.int, Hit("chunk", chunk_id, score)) for chunk_id, score in lone]
    return [hit for *_, hit in sorted(placed)]


def score_sources(nearest: Nearest, words: RankedWords, limits: Mapping[Corpus, int], *, best: float = 0.0) -> Sources:
    """`best` is the highest cosine of all corpora: a row far behind it is not near."""
    summaries: SourceScores = {}
    for corpus in SUMMARIES:
        scores = add_reciprocal_ranks([score_by_meaning(nearest, corpus, best), score_by_words(words, corpus)])
        ranked = sorted(scores.items(), key=lambda entry: (-entry[1], str(entry[0].key)))
        summaries |= dict(ranked[: limits[corpus]])
    most = limits[Corpus.CHUNK]
    return Sources(
        dict(list(score_by_meaning(nearest, Corpus.CHUNK, best).items())[:most]),
        dict(list(score_by_words(words, Corpus.CHUNK).items())[:most]),
        summaries,
    )


def score_by_meaning(nearest: Nearest, corpus: Corpus, best: float) -> SourceScores:
    near = keep_near(nearest.of(corpus), best)
    return {build_key(corpus, hit.id, hit.number): hit.score for hit in near}


def score_by_words(words: RankedWords, corpus: Corpus) -> SourceScores:
    return {SourceKey(corpus, text.number): text.score for text in words.get(corpus, ())}


def resolve(bank: Bank, vector: Vector, scope: Scope, wanted: Unresolved, *, within_seconds: float | None) -> Resolved:
    values = [*list_owners(bank), write_numbers(wanted.unit_numbers), list(wanted.names)]
    if wanted.corpora:
        values += [write_vector(vector) if vector.size else None, *list_source_arrays(wanted)]
    statement = write_resolve(scope, wanted.corpora, bank.vector_column)
    return group_rows(read_rows(bank.tenant_id, statement, values, within_seconds=within_seconds, keeps_plan=True))


def resolve_units(bank: Bank, scope: Scope, numbers: Sequence[int], *, within_seconds: float | None) -> Resolved:
    """From the table of units alone, which every search needs anyway."""
    values = (*list_owners(bank), write_numbers(numbers))
    return group_rows(read_rows(bank.tenant_id, UNITS.format(scope=scope), values, within_seconds=within_seconds))


@lru_cache(maxsize=64)
def write_resolve(scope: Scope, corpora: tuple[Corpus, ...], vector: str) -> str:
    if not corpora:
        return " UNION ALL ".join([UNITS.format(scope=scope), ENTITIES])
    found = [write_found(scope, corpus, place) for place, corpus in enumerate(corpora)]
    resting = " UNION ".join([RESTING[corpus] for corpus in corpora])
    lone = [LONE_CHUNKS] if Corpus.CHUNK in corpora else []
    selected = [one.format(scope=scope, vector=vector) for one in (RESTING_UNITS, UNITS, *lone, ENTITIES)]
    return f"WITH {', '.join(found)}, resting AS MATERIALIZED ({resting}){' UNION ALL '.join(selected)}"


def write_found(scope: Scope, corpus: Corpus, place: int) -> str:
    numbers = FIRST_OF_CORPORA + 2 * place
    more = ", chunk.stands_alone" if corpus == Corpus.CHUNK else ""
    return FOUND.format(
        row=corpus.value, more=more, table=TABLES[corpus], condition=scope.of(corpus), numbers=numbers, ids=numbers + 1
    )


def list_source_arrays(wanted: Unresolved) -> Iterator[str]:
    for corpus in wanted.corpora:
        keys = [source.key for source in wanted.sources if source.corpus == corpus]
        yield write_numbers([key for key in keys if isinstance(key, int)])
        yield write_ids([key for key in keys if isinstance(key, UUID)])


def group_rows(rows: Iterable[Row]) -> Resolved:
    units: dict[int, UUID] = {}
    resting: dict[tuple[str, int | UUID], list[RestingUnit]] = {}
    lone: dict[SourceKey, UUID] = {}
    entities: set[NamedEntity] = set()
    for corpus, source_id, number, row_id, distance, name in rows:
        if corpus == "entity":
            entities.add(NamedEntity(row_id, name))
        elif corpus == Corpus.UNIT:
            units[number] = row_id
        elif row_id is None:
            lone[build_key(corpus, source_id, number)] = source_id
        else:
            unit = RestingUnit(row_id, 0.0 if distance is None else 1.0 - distance)
            resting.setdefault((corpus, source_id if number is None else number), []).append(unit)
    by_source = {SourceKey(CORPORA[corpus], key): own for (corpus, key), own in resting.items()}
    return Resolved(units, by_source, lone, tuple(sorted(entities)))


def build_key(corpus: str, source_id: UUID, number: int | None) -> SourceKey:
    return SourceKey(CORPORA[corpus], source_id if number is None else number)
