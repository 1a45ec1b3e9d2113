"""From what was found to what is shown: names, numbers and archive rows become entities and visible units."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from psycopg import sql

from banks.models import Bank, Corpus
from providers.embedding.vector import Vector
from retrieval.filters.scope import Scope
from retrieval.lookups.arrays import id_array, number_array
from retrieval.lookups.distance import build_distance
from retrieval.lookups.reading import Row, read_rows

CORPORA = {corpus.value: corpus for corpus in Corpus}  # calling the class takes five times as long

# The tenant is named for every table: where row-level security finds it so, it compares once and not once a row.
# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that stand in it.
RESOLVE = sql.SQL("""
WITH chunk AS MATERIALIZED (
    SELECT chunk.id, chunk.number FROM banks_chunk AS chunk
    WHERE {chunk_scope} AND (chunk.number = ANY({chunk_numbers}) OR chunk.id = ANY({chunk_ids}))
), episode AS MATERIALIZED (
    SELECT episode.id, episode.number FROM banks_episode AS episode
    WHERE {episode_scope} AND (episode.number = ANY({episode_numbers}) OR episode.id = ANY({episode_ids}))
), relationship AS MATERIALIZED (
    SELECT relationship.id, relationship.number FROM banks_relationship AS relationship
    WHERE {relationship_scope}
      AND (relationship.number = ANY({relationship_numbers}) OR relationship.id = ANY({relationship_ids}))
), bringing AS MATERIALIZED (
    SELECT 'chunk' AS corpus, chunk.id, chunk.number, source.unit_id
    FROM chunk JOIN banks_unitsource AS source ON source.chunk_id = chunk.id AND source.tenant_id = {tenant}
    UNION
    SELECT 'chunk', chunk.id, chunk.number, source.unit_id
    FROM chunk JOIN banks_chunkpart AS part ON part.chunk_id = chunk.id AND part.tenant_id = {tenant}
    JOIN banks_unitsource AS source ON source.message_id = part.message_id
     AND source.tenant_id = {tenant} AND source.start < part.message_end AND source."end" > part.message_start
    UNION
    SELECT 'episode', episode.id, episode.number, source.unit_id
    FROM episode JOIN banks_message AS message ON message.episode_id = episode.id AND message.tenant_id = {tenant}
    JOIN banks_unitsource AS source ON source.message_id = message.id AND source.tenant_id = {tenant}
    UNION
    SELECT 'episode', episode.id, episode.number, source.unit_id
    FROM episode JOIN banks_unitsource AS source ON source.episode_id = episode.id AND source.tenant_id = {tenant}
    UNION
    SELECT 'relationship', relationship.id, relationship.number, source.unit_id
    FROM relationship JOIN banks_relationshipsource AS source
      ON source.relationship_id = relationship.id AND source.tenant_id = {tenant}
)
SELECT bringing.corpus, bringing.id, bringing.number, unit.id, {distance}
FROM bringing JOIN banks_memoryunit AS unit ON unit.id = bringing.unit_id WHERE {unit_scope}
UNION ALL
SELECT 'unit', NULL, unit.number, unit.id, NULL
FROM banks_memoryunit AS unit WHERE {unit_scope} AND unit.number = ANY({unit_numbers})
UNION ALL
SELECT 'chunk', chunk.id, chunk.number, NULL, NULL
FROM chunk WHERE {chunks_stand_alone} AND chunk.id NOT IN (SELECT id FROM bringing WHERE corpus = 'chunk')
UNION ALL
SELECT 'entity', NULL, NULL, name.entity_id, NULL
FROM banks_entityname AS name
WHERE name.tenant_id = {tenant} AND name.bank_id = {bank} AND name.normalised_name = ANY({names})
""")


class SourceName(NamedTuple):
    """How a row of the archive is found: by its number in the text index, or by its id while it has none."""

    corpus: Corpus
    name: int | UUID


class Brought(NamedTuple):
    """A unit that came with a source, and how near the unit itself is to the query."""

    unit_id: UUID
    cosine: float


@dataclass(frozen=True)
class Resolved:
    """`lone_chunks` hold text that no unit tells, visible or not: what was superseded does not return as evidence."""

    units: dict[int, UUID] = field(default_factory=dict)
    brought: Mapping[SourceName, Sequence[Brought]] = field(default_factory=dict)
    lone_chunks: dict[SourceName, UUID] = field(default_factory=dict)
    entity_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What is to be resolved: numbers of units, rows of the archive, and names that the query may hold."""

    unit_numbers: Sequence[int] = ()
    sources: Sequence[SourceName] = ()
    names: Sequence[str] = ()


def resolve(bank: Bank, vector: Vector, scope: Scope, wanted: Wanted, *, within_seconds: float | None) -> Resolved:
    statement = RESOLVE.format(
        tenant=sql.Literal(bank.tenant_id),
        bank=sql.Literal(bank.id),
        distance=build_distance(sql.Identifier("unit"), vector),
        unit_scope=scope.unit,
        chunk_scope=scope.chunk,
        episode_scope=scope.episode,
        relationship_scope=scope.relationship,
        chunks_stand_alone=sql.Literal(scope.chunks_stand_alone),
        unit_numbers=number_array(wanted.unit_numbers),
        names=sql.SQL("{}::text[]").format(sql.Literal(list(wanted.names))),
        **name_sources(wanted.sources),
    )
    return sort_out(read_rows(bank.tenant_id, statement, within_seconds=within_seconds))


def name_sources(sources: Sequence[SourceName]) -> dict[str, sql.Composable]:
    named: dict[str, sql.Composable] = {}
    for corpus in (Corpus.CHUNK, Corpus.EPISODE, Corpus.RELATIONSHIP):
        names = [source.name for source in sources if source.corpus == corpus]
        named[f"{corpus.value}_numbers"] = number_array([name for name in names if isinstance(name, int)])
        named[f"{corpus.value}_ids"] = id_array([name for name in names if isinstance(name, UUID)])
    return named


def sort_out(rows: Iterable[Row]) -> Resolved:
    units: dict[int, UUID] = {}
    brought: dict[tuple[str, int | UUID], list[Brought]] = {}
    lone: dict[SourceName, UUID] = {}
    entities: set[UUID] = set()
    for corpus, source_id, number, row_id, distance in rows:
        if corpus == "entity":
            entities.add(row_id)
        elif corpus == Corpus.UNIT:
            units[number] = row_id
        elif row_id is None:
            lone[name_source(corpus, source_id, number)] = source_id
        else:
            one = Brought(row_id, 0.0 if distance is None else 1.0 - distance)
            brought.setdefault((corpus, source_id if number is None else number), []).append(one)
    named = {SourceName(CORPORA[corpus], name): own for (corpus, name), own in brought.items()}
    return Resolved(units, named, lone, tuple(sorted(entities)))


def name_source(corpus: str, source_id: UUID, number: int | None) -> SourceName:
    return SourceName(CORPORA[corpus], source_id if number is None else number)
