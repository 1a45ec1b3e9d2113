"""The surroundings of found memories: their origins, the relationships of the named entities, stale observations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from psycopg import sql

from banks.enums import Network
from banks.models import Bank
from reflection.observations.marking_stale import find_stale
from reflection.reflect.types import LabelledMemory
from retrieval.filters.conditions import all_of, is_own, list_owners
from retrieval.filters.moment import build_moment_condition
from retrieval.filters.scope import build_unit_condition
from retrieval.filters.types import Filters
from retrieval.statements import read_rows, write_ids
from retrieval.types import Analysis, PointInTime
from tenants.transactions import let_go_of_connection, tenant_transaction

EVERYTHING = Filters()
MOST_ENTITIES = 10
MOST_RELATIONSHIPS = 20
MOST_SOURCES = 10  # units of one relationship, the latest

FIND_ORIGINS = """
SELECT message.id, episode.id, episode.started_at, NULL
FROM banks_message AS message
LEFT JOIN banks_episode AS episode ON episode.id = message.episode_id AND episode.tenant_id = $1
WHERE message.tenant_id = $1 AND message.bank_id = $2 AND message.id = ANY($3::uuid[])
UNION ALL
SELECT chunk.id, episode.id, episode.started_at, document.document_id
FROM banks_chunk AS chunk
LEFT JOIN banks_episode AS episode ON episode.id = chunk.episode_id AND episode.tenant_id = $1
LEFT JOIN banks_document AS document ON document.id = chunk.document_id AND document.tenant_id = $1
WHERE chunk.tenant_id = $1 AND chunk.bank_id = $2 AND chunk.id = ANY($4::uuid[])
"""

# Two steps from the named entities, each with the best proven and latest relationships. The entities are compared by
# equality, so that an index serves.
FIND_RELATIONSHIPS = sql.SQL("""
WITH first AS (
    SELECT edge.*, 1 AS step FROM banks_relationship AS edge
    WHERE {visible} AND (edge.subject_id = ANY($3::uuid[]) OR edge.object_id = ANY($3::uuid[]))
    ORDER BY edge.proof_count DESC, edge.mentioned_at DESC, edge.id LIMIT $4
), near AS (
    SELECT subject_id AS id FROM first UNION SELECT object_id FROM first WHERE object_id IS NOT NULL
), second AS (
    SELECT edge.*, 2 AS step FROM banks_relationship AS edge
    WHERE {visible} AND (edge.subject_id IN (SELECT id FROM near) OR edge.object_id IN (SELECT id FROM near))
      AND edge.id NOT IN (SELECT id FROM first)
    ORDER BY edge.proof_count DESC, edge.mentioned_at DESC, edge.id LIMIT $4
)
SELECT found.id, found.subject_id, found.object_id, {text}, found.valid_from, found.valid_until,
    found.mentioned_at, found.expired_at, ARRAY(
        SELECT source.unit_id FROM banks_relationshipsource AS source
        WHERE source.tenant_id = $1 AND source.relationship_id = found.id AND {visible_source}
        ORDER BY source.id DESC LIMIT $5
    )
FROM (SELECT * FROM first UNION ALL SELECT * FROM second) AS found
ORDER BY found.step, found.proof_count DESC, found.mentioned_at DESC, found.id
""")
EDGE = sql.Identifier("edge")
# A caller who may not see any source unit of a relationship may not see the relationship.
HAS_VISIBLE_SOURCE = sql.SQL("""EXISTS (
    SELECT FROM banks_relationshipsource AS source JOIN banks_memoryunit AS unit ON unit.id = source.unit_id
    WHERE source.tenant_id = $1 AND source.relationship_id = edge.id AND {unit}
)""")
# Checked before the latest sources are chosen: hidden ones must not take the places of visible ones.
IS_VISIBLE_SOURCE = sql.SQL("""EXISTS (
    SELECT FROM banks_memoryunit AS unit WHERE unit.id = source.unit_id AND {unit}
)""")
# The text repeats the first source. A caller who may not see all sources gets subject, relation and object instead.
TEXT = sql.SQL("found.text")
TEXT_OR_PARTS = sql.SQL("""CASE WHEN EXISTS (
        SELECT FROM banks_relationshipsource AS source JOIN banks_memoryunit AS unit ON unit.id = source.unit_id
        WHERE source.tenant_id = $1 AND source.relationship_id = found.id AND NOT ({unit})
    ) THEN (
        SELECT concat(subject.name, ' ', replace(found.relation, '_', ' '), ' ', object.name, found.value, '.')
        FROM banks_entity AS subject
        LEFT JOIN banks_entity AS object ON object.tenant_id = $1 AND object.id = found.object_id
        WHERE subject.tenant_id = $1 AND subject.id = found.subject_id
    ) ELSE found.text END""")


@dataclass(frozen=True)
class Origin:
    """The episode or document of a memory's source."""

    episode_id: UUID | None
    started_at: datetime | None
    document_id: str


@dataclass(frozen=True)
class KnownRelationship:
    """`source_ids` are its source units under the tags of the question."""

    id: UUID
    subject_id: UUID
    object_id: UUID | None
    text: str
    valid_from: datetime | None
    valid_until: datetime | None
    mentioned_at: datetime
    expired_at: datetime | None
    source_ids: Sequence[UUID] = ()

    @property
    def entity_ids(self) -> set[UUID]:
        return {self.subject_id} | ({self.object_id} if self.object_id else set())


@dataclass(frozen=True)
class Surroundings:
    """`origins` are by label. `stale_since` gives the time since when an observation may be out of date."""

    origins: Mapping[int, Origin] = field(default_factory=dict)
    relationships: tuple[KnownRelationship, ...] = ()
    stale_since: Mapping[UUID, datetime] = field(default_factory=dict)


def read_surroundings(
    bank: Bank, memories: Sequence[LabelledMemory], entity_ids: Sequence[UUID], moment: PointInTime, filters: Filters
) -> Surroundings:
    """Call outside of transactions: no connection is held afterwards, while a model works."""
    observed = [memory.id for memory in memories if memory.item.candidate.network is Network.OBSERVATION]
    origins = find_origins(bank, memories)
    relationships = find_relationships(bank, entity_ids, moment, filters)
    stale_since: Mapping[UUID, datetime] = {}
    if observed:
        with tenant_transaction(bank.tenant_id):
            stale_since = find_stale(bank, observed)
    let_go_of_connection()
    return Surroundings(origins, relationships, stale_since)


def find_shown_moment(asked: PointInTime, analysis: Analysis) -> PointInTime:
    """Shows superseded relationships exactly where the recall shows superseded units."""
    return replace(asked, history=True) if analysis.wants_history and asked == PointInTime() else asked


def find_origins(bank: Bank, memories: Sequence[LabelledMemory]) -> dict[int, Origin]:
    """By label. A memory with several sources has the origin of the first."""
    sources = [source for memory in memories for source in memory.item.candidate.sources]
    if not sources:
        return {}
    messages = [source.message_id for source in sources if source.message_id]
    chunks = [source.chunk_id for source in sources if source.chunk_id]
    values = (*list_owners(bank), write_ids(messages), write_ids(chunks))
    rows = read_rows(bank.tenant_id, FIND_ORIGINS, values, within_seconds=None, keeps_plan=True)
    by_source = {row_id: Origin(episode_id, at, document or "") for row_id, episode_id, at, document in rows}
    found: dict[int, Origin] = {}
    for memory in memories:
        ids = (source.message_id or source.chunk_id for source in memory.item.candidate.sources)
        origin = next((by_source[one] for one in ids if one in by_source), None)
        if origin is not None:
            found[memory.label] = origin
    return found


def find_relationships(
    bank: Bank, entity_ids: Sequence[UUID], moment: PointInTime, filters: Filters = EVERYTHING
) -> tuple[KnownRelationship, ...]:
    """The relationships within two steps of the entities that have a source unit which passes the filters."""
    if not entity_ids:
        return ()
    entities = list(entity_ids[:MOST_ENTITIES])
    by_tags = filters.are_by_tags
    tagged = build_unit_condition(Filters(tags=filters.tags, where=filters.where), PointInTime(history=True))
    statement = FIND_RELATIONSHIPS.format(
        visible=build_visibility(moment, filters),
        text=TEXT_OR_PARTS.format(unit=tagged) if by_tags else TEXT,
        visible_source=IS_VISIBLE_SOURCE.format(unit=tagged) if by_tags else all_of([]),
    )
    values = (*list_owners(bank), entities, MOST_RELATIONSHIPS, MOST_SOURCES)
    rows = read_rows(bank.tenant_id, statement, values, within_seconds=None)
    return limit_relationships((KnownRelationship(*row) for row in rows), set(entities))


def build_visibility(moment: PointInTime, filters: Filters) -> sql.Composable:
    """The filters apply to the source units, superseded ones included. The filter on networks does not apply."""
    conditions = [is_own(EDGE), build_moment_condition(EDGE, moment)]
    wanted = replace(filters, networks=())
    if wanted != EVERYTHING:
        source = build_unit_condition(wanted, replace(moment, history=True))
        conditions.append(HAS_VISIBLE_SOURCE.format(unit=source))
    return all_of(conditions)


def limit_relationships(
    relationships: Iterable[KnownRelationship], entity_ids: set[UUID]
) -> tuple[KnownRelationship, ...]:
    """In their order, up to the limits on entities and on relationships."""
    kept: list[KnownRelationship] = []
    known = set(entity_ids)
    for one in relationships:
        reached = known | one.entity_ids
        if len(reached) <= MOST_ENTITIES and len(kept) < MOST_RELATIONSHIPS:
            kept.append(one)
            known = reached
    return tuple(kept)
