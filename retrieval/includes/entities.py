from collections.abc import Mapping
from uuid import UUID

from psycopg import sql

from retrieval.filters.recorded import was_made
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
    WHERE mention.tenant_id = {tenant} AND mention.entity_id = entity.id AND {made}
)""")


def include_entities(
    tenant_id: UUID, units: Mapping[UUID, str], *, max_tokens: int, moment: PointInTime, within_seconds: float | None
) -> tuple[IncludedEntity, ...]:
    """`units` have the id of their bank."""
    rows = read_rows(tenant_id, write_find(tenant_id, list(units), moment), within_seconds=within_seconds)
    entities = (
        IncludedEntity(row_id, units[own[0]], name, kind, f"{name}: {summary}" if summary else name, count, tuple(own))
        for row_id, name, kind, summary, count, own in rows
    )
    return fit(entities, max_tokens)


def write_find(tenant_id: UUID, unit_ids: list[UUID], moment: PointInTime) -> sql.Composable:
    """A summary says what is known today, and its earlier wordings are not kept: who asks for then gets none."""
    tenant, made = sql.Literal(tenant_id), was_made("mention", moment)
    is_of_today = moment.known_at is None
    return FIND.format(
        tenant=tenant,
        unit_ids=sql.Literal(unit_ids),
        made=made,
        summary=sql.SQL("entity.summary" if is_of_today else "''"),
        mention_count=sql.SQL("entity.mention_count") if is_of_today else COUNTED.format(tenant=tenant, made=made),
    )
