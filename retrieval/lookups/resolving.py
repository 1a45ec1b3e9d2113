"""From what was found to what is shown: names, numbers and archive rows become entities and visible units."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from banks.models import Bank, Corpus
from banks.vector_index.literal import write_vector
from providers.embedding.vector import Vector
from retrieval.filters.own import list_owners
from retrieval.filters.scope import Scope
from retrieval.lookups.arrays import write_ids, write_numbers
from retrieval.lookups.one_trip import Row
from retrieval.lookups.reading import read_rows

CORPORA = {corpus.value: corpus for corpus in Corpus}  # calling the class takes five times as long

# The tenant is named for every table: where row-level security finds it so, it compares once and not once a row.
# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that stand in it.
RESOLVE = """
WITH chunk AS MATERIALIZED (
    SELECT chunk.id, chunk.number FROM banks_chunk AS chunk
    WHERE {scope.chunk} AND (chunk.number = ANY($4::int[]) OR chunk.id = ANY($5::uuid[]))
), episode AS MATERIALIZED (
    SELECT episode.id, episode.number FROM banks_episode AS episode
    WHERE {scope.episode} AND (episode.number = ANY($6::int[]) OR episode.id = ANY($7::uuid[]))
), relationship AS MATERIALIZED (
    SELECT relationship.id, relationship.number FROM banks_relationship AS relationship
    WHERE {scope.relationship}
      AND (relationship.number = ANY($8::int[]) OR relationship.id = ANY($9::uuid[]))
), bringing AS MATERIALIZED (
    SELECT 'chunk' AS corpus, chunk.id, chunk.number, source.unit_id
    FROM chunk JOIN banks_unitsource AS source ON source.chunk_id = chunk.id AND source.tenant_id = $1
    UNION
    SELECT 'chunk', chunk.id, chunk.number, source.unit_id
    FROM chunk JOIN banks_chunkpart AS part ON part.chunk_id = chunk.id AND part.tenant_id = $1
    JOIN banks_unitsource AS source ON source.message_id = part.message_id
     AND source.tenant_id = $1 AND source.start < part.message_end AND source."end" > part.message_start
    UNION
    SELECT 'episode', episode.id, episode.number, source.unit_id
    FROM episode JOIN banks_message AS message ON message.episode_id = episode.id AND message.tenant_id = $1
    JOIN banks_unitsource AS source ON source.message_id = message.id AND source.tenant_id = $1
    UNION
    SELECT 'episode', episode.id, episode.number, source.unit_id
    FROM episode JOIN banks_unitsource AS source ON source.episode_id = episode.id AND source.tenant_id = $1
    UNION
    SELECT 'relationship', relationship.id, relationship.number, source.unit_id
    FROM relationship JOIN banks_relationshipsource AS source
      ON source.relationship_id = relationship.id AND source.tenant_id = $1
)
SELECT bringing.corpus, bringing.id, bringing.number, unit.id, unit.embedding <=> $3::vector
FROM bringing JOIN banks_memoryunit AS unit ON unit.id = bringing.unit_id WHERE {scope.unit}
UNION ALL
SELECT 'unit', NULL, unit.number, unit.id, NULL
FROM banks_memoryunit AS unit WHERE {scope.unit} AND unit.number = ANY($10::int[])
UNION ALL
SELECT 'chunk', chunk.id, chunk.number, NULL, NULL
FROM chunk WHERE {scope.chunks_stand_alone} AND chunk.id NOT IN (SELECT id FROM bringing WHERE corpus = 'chunk')
UNION ALL
SELECT 'entity', NULL, NULL, name.entity_id, NULL
FROM banks_entityname AS name
WHERE name.tenant_id = $1 AND name.bank_id = $2 AND name.normalised_name = ANY($11::text[])
"""


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
    values = (
        *list_owners(bank),
        write_vector(vector) if vector.size else None,
        *name_sources(wanted.sources),
        write_numbers(wanted.unit_numbers),
        list(wanted.names),
    )
    rows = read_rows(bank.tenant_id, write_resolve(scope), values, within_seconds=within_seconds, keeps_plan=True)
    return sort_out(rows)


@lru_cache(maxsize=64)
def write_resolve(scope: Scope) -> str:
    return RESOLVE.format(scope=scope)


def name_sources(sources: Sequence[SourceName]) -> Iterator[str]:
    for corpus in (Corpus.CHUNK, Corpus.EPISODE, Corpus.RELATIONSHIP):
        names = [source.name for source in sources if source.corpus == corpus]
        yield write_numbers([name for name in names if isinstance(name, int)])
        yield write_ids([name for name in names if isinstance(name, UUID)])


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
