"""From what was found to what is shown: names, numbers and archive rows become entities and visible units."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from banks.kinship import COUPLE
from banks.models import Bank, Corpus
from banks.vector_index.literal import write_vector
from providers.embedding.vector import Vector
from retrieval.filters.own import list_owners
from retrieval.filters.scope import Scope
from retrieval.lookups.arrays import write_ids, write_numbers
from retrieval.lookups.nearest import TABLES
from retrieval.lookups.one_trip import Row
from retrieval.lookups.reading import read_rows
from retrieval.query.kin import Kin
from retrieval.types import NamedEntity

CORPORA = {corpus.value: corpus for corpus in Corpus}  # calling the class takes five times as long

# The tenant is named for every table: where row-level security finds it so, it compares once and not once a row.
# $1 and $2 say whose, $3 are numbers of units, $4 names, $5 the query's vector, and then each corpus has its two.
FOUND = """{row} AS MATERIALIZED (
    SELECT {row}.id, {row}.number{more} FROM {table} AS {row}
    WHERE {condition} AND ({row}.number = ANY(${numbers}::int[]) OR {row}.id = ANY(${ids}::uuid[]))
)"""
# A unit rests on a chunk if it quotes the chunk itself, or characters of a message that stand in it.
BRINGING = {
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
BROUGHT = """
SELECT bringing.corpus, bringing.id, bringing.number, unit.id, unit.embedding <=> $5::vector, NULL
FROM bringing JOIN banks_memoryunit AS unit ON unit.id = bringing.unit_id WHERE {scope.unit}
"""
LONE_CHUNKS = """
SELECT 'chunk', chunk.id, chunk.number, NULL, NULL, NULL
FROM chunk
WHERE {scope.chunks_stand_alone} AND chunk.stands_alone
  AND chunk.id NOT IN (SELECT id FROM bringing WHERE corpus = 'chunk')
"""
UNITS = """
SELECT 'unit', NULL::uuid, unit.number, unit.id, NULL::float8, NULL::text
FROM banks_memoryunit AS unit WHERE {scope.unit} AND unit.number = ANY($3::int[])
"""
NAMED = """
SELECT 'entity', NULL, NULL, name.entity_id, NULL, entity.name
FROM banks_entityname AS name JOIN banks_entity AS entity ON entity.id = name.entity_id AND entity.tenant_id = $1
WHERE name.tenant_id = $1 AND name.bank_id = $2 AND name.normalised_name = ANY($4::text[])
"""
# Of a couple either may be the one of whom it was told.
KIN = """
SELECT 'kin', NULL, NULL, other.id, NULL, other.name
FROM banks_entityname AS name
JOIN banks_relationship AS relationship
  ON (relationship.subject_id = name.entity_id AND relationship.relation = ANY(${relations}::text[]))
  OR (relationship.object_id = name.entity_id AND relationship.relation = ANY(${couples}::text[]))
JOIN banks_entity AS other ON other.tenant_id = $1 AND other.id <> name.entity_id
 AND other.id IN (relationship.subject_id, relationship.object_id)
WHERE name.tenant_id = $1 AND name.bank_id = $2 AND name.normalised_name = ANY(${owners}::text[]) AND {condition}
"""
FIRST_OF_CORPORA = 6


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
    """`lone_chunks` hold text that no unit tells, visible or not, nor ever told: what was superseded or deleted does
    not return as evidence.
    """

    units: dict[int, UUID] = field(default_factory=dict)
    brought: Mapping[SourceName, Sequence[Brought]] = field(default_factory=dict)
    lone_chunks: dict[SourceName, UUID] = field(default_factory=dict)
    entities: tuple[NamedEntity, ...] = ()
    kin: tuple[NamedEntity, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What is to be resolved: numbers of units, rows of the archive's `corpora`, names that the query may hold, and who
    is named by whose he is.
    """

    unit_numbers: Sequence[int] = ()
    corpora: tuple[Corpus, ...] = ()
    sources: Sequence[SourceName] = ()
    names: Sequence[str] = ()
    kin: Kin | None = None


def resolve(bank: Bank, vector: Vector, scope: Scope, wanted: Wanted, *, within_seconds: float | None) -> Resolved:
    values = [*list_owners(bank), write_numbers(wanted.unit_numbers), list(wanted.names)]
    if wanted.corpora:
        values += [write_vector(vector) if vector.size else None, *name_sources(wanted)]
    if wanted.kin:
        couples = [relation for relation in wanted.kin.relations if relation in COUPLE]
        values += [list(wanted.kin.owners), list(wanted.kin.relations), couples]
    statement = write_resolve(scope, wanted.corpora, has_kin=wanted.kin is not None)
    return sort_out(read_rows(bank.tenant_id, statement, values, within_seconds=within_seconds, keeps_plan=True))


def resolve_units(bank: Bank, scope: Scope, numbers: Sequence[int], *, within_seconds: float | None) -> Resolved:
    """Without names and archive, from the one table that no search can do without."""
    values = (*list_owners(bank), write_numbers(numbers))
    return sort_out(read_rows(bank.tenant_id, UNITS.format(scope=scope), values, within_seconds=within_seconds))


@lru_cache(maxsize=64)
def write_resolve(scope: Scope, corpora: tuple[Corpus, ...], *, has_kin: bool) -> str:
    after = FIRST_OF_CORPORA + 2 * len(corpora) if corpora else FIRST_OF_CORPORA - 1
    kin = [write_kin(scope, after)] if has_kin else []
    if not corpora:
        return " UNION ALL ".join([UNITS.format(scope=scope), NAMED, *kin])
    found = [write_found(scope, corpus, place) for place, corpus in enumerate(corpora)]
    bringing = " UNION ".join([BRINGING[corpus] for corpus in corpora])
    lone = [LONE_CHUNKS] if Corpus.CHUNK in corpora else []
    selected = [one.format(scope=scope) for one in (BROUGHT, UNITS, *lone, NAMED)]
    return f"WITH {', '.join(found)}, bringing AS MATERIALIZED ({bringing}){' UNION ALL '.join([*selected, *kin])}"


def write_kin(scope: Scope, first: int) -> str:
    return KIN.format(condition=scope.of(Corpus.RELATIONSHIP), owners=first, relations=first + 1, couples=first + 2)


def write_found(scope: Scope, corpus: Corpus, place: int) -> str:
    numbers = FIRST_OF_CORPORA + 2 * place
    more = ", chunk.stands_alone" if corpus == Corpus.CHUNK else ""
    return FOUND.format(
        row=corpus.value, more=more, table=TABLES[corpus], condition=scope.of(corpus), numbers=numbers, ids=numbers + 1
    )


def name_sources(wanted: Wanted) -> Iterator[str]:
    for corpus in wanted.corpora:
        names = [source.name for source in wanted.sources if source.corpus == corpus]
        yield write_numbers([name for name in names if isinstance(name, int)])
        yield write_ids([name for name in names if isinstance(name, UUID)])


def sort_out(rows: Iterable[Row]) -> Resolved:
    units: dict[int, UUID] = {}
    brought: dict[tuple[str, int | UUID], list[Brought]] = {}
    lone: dict[SourceName, UUID] = {}
    entities: set[NamedEntity] = set()
    kin: set[NamedEntity] = set()
    for corpus, source_id, number, row_id, distance, name in rows:
        if corpus == "entity":
            entities.add(NamedEntity(row_id, name))
        elif corpus == "kin":
            kin.add(NamedEntity(row_id, name))
        elif corpus == Corpus.UNIT:
            units[number] = row_id
        elif row_id is None:
            lone[name_source(corpus, source_id, number)] = source_id
        else:
            one = Brought(row_id, 0.0 if distance is None else 1.0 - distance)
            brought.setdefault((corpus, source_id if number is None else number), []).append(one)
    named = {SourceName(CORPORA[corpus], name): own for (corpus, name), own in brought.items()}
    return Resolved(units, named, lone, tuple(sorted(entities)), tuple(sorted(kin)))


def name_source(corpus: str, source_id: UUID, number: int | None) -> SourceName:
    return SourceName(CORPORA[corpus], source_id if number is None else number)
