"""Who stands to whom around the entities that a question names: two steps, few entities, few relationships."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from psycopg import sql

from banks.models import Bank
from retrieval.filters.joining import all_of
from retrieval.filters.moment import build_moment_condition
from retrieval.filters.own import is_own, list_owners
from retrieval.filters.types import Filters
from retrieval.filters.units import build_unit_condition
from retrieval.lookups.reading import read_rows
from retrieval.types import PointInTime

EVERYTHING = Filters()
MOST_ENTITIES = 10
MOST_RELATIONSHIPS = 20
MOST_SOURCES = 10  # memories that tell the same, the latest

# The best proven and latest said of each step. A relationship's entities are found by equality, which an index serves.
FIND = sql.SQL("""
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
SELECT found.id, found.subject_id, found.object_id, {words}, found.valid_from, found.valid_until,
    found.mentioned_at, found.expired_at, ARRAY(
        SELECT source.unit_id FROM banks_relationshipsource AS source
        WHERE source.tenant_id = $1 AND source.relationship_id = found.id AND {named}
        ORDER BY source.id DESC LIMIT $5
    )
FROM (SELECT * FROM first UNION ALL SELECT * FROM second) AS found
ORDER BY found.step, found.proof_count DESC, found.mentioned_at DESC, found.id
""")
EDGE = sql.Identifier("edge")
# Who may not see what a relationship was read from may not see the relationship.
WAS_TOLD = sql.SQL("""EXISTS (
    SELECT FROM banks_relationshipsource AS source JOIN banks_memoryunit AS unit ON unit.id = source.unit_id
    WHERE source.tenant_id = $1 AND source.relationship_id = edge.id AND {unit}
)""")


# Asked of before the latest are chosen, or those of others would take the places of the asker's own.
MAY_BE_NAMED = sql.SQL("""EXISTS (
    SELECT FROM banks_memoryunit AS unit WHERE unit.id = source.unit_id AND {unit}
)""")
# Its text is what the first who told it said. To those who may not see all who did, it is told by its parts.
TEXT = sql.SQL("found.text")
WORDS = sql.SQL("""CASE WHEN EXISTS (
        SELECT FROM banks_relationshipsource AS source JOIN banks_memoryunit AS unit ON unit.id = source.unit_id
        WHERE source.tenant_id = $1 AND source.relationship_id = found.id AND NOT ({unit})
    ) THEN (
        SELECT concat(subject.name, ' ', replace(found.relation, '_', ' '), ' ', object.name, found.value, '.')
        FROM banks_entity AS subject
        LEFT JOIN banks_entity AS object ON object.tenant_id = $1 AND object.id = found.object_id
        WHERE subject.tenant_id = $1 AND subject.id = found.subject_id
    ) ELSE found.text END""")


@dataclass(frozen=True)
class Tie:
    """`source_ids` are memories that it was read from, of those under the tags that were asked for."""

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


def find_ties(
    bank: Bank, entity_ids: Sequence[UUID], moment: PointInTime, filters: Filters = EVERYTHING
) -> tuple[Tie, ...]:
    """Those that were read from a memory that passes the filters. Call inside a tenant transaction."""
    if not entity_ids:
        return ()
    entities = list(entity_ids[:MOST_ENTITIES])
    statement = FIND.format(
        visible=build_condition(moment, filters), words=choose_words(filters), named=choose_named(filters)
    )
    values = (*list_owners(bank), entities, MOST_RELATIONSHIPS, MOST_SOURCES)
    rows = read_rows(bank.tenant_id, statement, values, within_seconds=None)
    return keep_few((Tie(*row) for row in rows), set(entities))


def choose_words(filters: Filters) -> sql.Composable:
    return TEXT if filters.tags is None else WORDS.format(unit=has_tags(filters))


def choose_named(filters: Filters) -> sql.Composable:
    return all_of([]) if filters.tags is None else MAY_BE_NAMED.format(unit=has_tags(filters))


def has_tags(filters: Filters) -> sql.Composable:
    return build_unit_condition(Filters(tags=filters.tags), PointInTime(history=True))


def build_condition(moment: PointInTime, filters: Filters) -> sql.Composable:
    """What a filter lets pass is seen by the memories that it was read from, also by those that are over by now."""
    conditions = [is_own(EDGE), build_moment_condition(EDGE, moment)]
    wanted = replace(filters, networks=())  # which memories are read says nothing about which ties are
    if wanted != EVERYTHING:
        told = build_unit_condition(wanted, replace(moment, history=True))
        conditions.append(WAS_TOLD.format(unit=told))
    return all_of(conditions)


def keep_few(ties: Iterable[Tie], entity_ids: set[UUID]) -> tuple[Tie, ...]:
    """In their order, as long as neither the entities nor the relationships become too many."""
    kept: list[Tie] = []
    known = set(entity_ids)
    for tie in ties:
        reached = known | tie.entity_ids
        if len(reached) <= MOST_ENTITIES and len(kept) < MOST_RELATIONSHIPS:
            kept.append(tie)
            known = reached
    return tuple(kept)
