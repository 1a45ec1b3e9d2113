from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from retrieval.includes.fitting import fit
from retrieval.includes.types import IncludedEntity
from retrieval.lookups.reading import read_rows

# Those of the first results first.
FIND = sql.SQL("""
SELECT entity.id, entity.name, entity.kind, entity.summary, entity.mention_count,
    array_agg(mention.unit_id ORDER BY wanted.place)
FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
JOIN banks_mention AS mention ON mention.unit_id = wanted.unit_id
JOIN banks_entity AS entity ON entity.id = mention.entity_id
WHERE mention.tenant_id = {tenant}
GROUP BY entity.id, entity.name, entity.kind, entity.summary, entity.mention_count
ORDER BY min(wanted.place), entity.mention_count DESC, entity.id
""")


def include_entities(tenant_id: UUID, unit_ids: Sequence[UUID], *, max_tokens: int) -> tuple[IncludedEntity, ...]:
    statement = FIND.format(tenant=sql.Literal(tenant_id), unit_ids=sql.Literal(list(unit_ids)))
    rows = read_rows(tenant_id, statement, within_seconds=None)
    entities = (
        IncludedEntity(row_id, name, kind, f"{name}: {summary}" if summary else name, mentions, tuple(units))
        for row_id, name, kind, summary, mentions, units in rows
    )
    return fit(entities, max_tokens)
