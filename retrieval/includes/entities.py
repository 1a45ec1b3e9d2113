from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from psycopg import sql

from banks.words import FACTUAL
from retrieval.filters.moment import build_moment_condition
from retrieval.filters.recorded import was_made
from retrieval.filters.types import Filters
from retrieval.includes.fitting import fit
from retrieval.includes.types import IncludedEntity
from retrieval.lookups.reading import read_rows
from retrieval.types import PointInTime

# Those of the first results first.
FIND = sql.SQL("""
SELECT entity.id, entity.name, entity.kind, {summary}, {mention_count} AS mention_count,
    array_agg(mention.unit_id ORDER BY wanted.place)
FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
JOIN banks_mention AS mention ON mention.unit_id = wanted.unit_id
JOIN banks_entity AS entity ON entity.id = mention.entity_id
WHERE mention.tenant_id = {tenant} AND {made}
GROUP BY entity.id, entity.name, entity.kind, entity.summary, entity.mention_count
ORDER BY min(wanted.place), mention_count DESC, entity.id
""")
COUNTED = sql.SQL("""(
    SELECT count(*) FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = {tenant} AND mention.entity_id = entity.id AND {made} AND {seen}
)""")
OF_RESULTS = sql.SQL("count(*)")


def include_entities(
    tenant_id: UUID,
    units: Mapping[UUID, str],
    *,
    max_tokens: int,
    filters: Filters,
    moment: PointInTime,
    within_seconds: float | None,
) -> tuple[IncludedEntity, ...]:
    """`units` have the id of their bank."""
    statement = write_find(tenant_id, list(units), filters, moment)
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    entities = (
        IncludedEntity(row_id, units[own[0]], name, kind, f"{name}: {summary}" if summary else name, count, tuple(own))
        for row_id, name, kind, summary, count, own in rows
    )
    return fit(entities, max_tokens)


def write_find(tenant_id: UUID, unit_ids: list[UUID], filters: Filters, moment: PointInTime) -> sql.Composable:
    """A summary is made of all that is known of the entity today: who asks for a part of it, or for then, gets none."""
    is_all_of_today = shows_all_facts(filters) and moment.as_of is None and moment.known_at is None
    return FIND.format(
        tenant=sql.Literal(tenant_id),
        unit_ids=sql.Literal(unit_ids),
        made=was_made("mention", moment),
        summary=sql.SQL("entity.summary" if is_all_of_today else "''"),
        mention_count=sql.SQL("entity.mention_count") if is_all_of_today else count_seen(tenant_id, filters, moment),
    )


def shows_all_facts(filters: Filters) -> bool:
    """Summaries are made of facts, so a filter by networks hides nothing of them that lets these pass."""
    return replace(filters, networks=()) == Filters() and (not filters.networks or set(filters.networks) >= FACTUAL)


def count_seen(tenant_id: UUID, filters: Filters, moment: PointInTime) -> sql.Composable:
    """Under a filter the mentions among the results, of which each passed it; else all that the moment shows."""
    if not shows_all_facts(filters):
        return OF_RESULTS
    return COUNTED.format(
        tenant=sql.Literal(tenant_id),
        made=was_made("mention", moment),
        seen=build_moment_condition(sql.Identifier("unit"), moment),
    )
