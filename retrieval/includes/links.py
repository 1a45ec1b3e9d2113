from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from retrieval.filters.recorded import was_made
from retrieval.includes.types import IncludedLink
from retrieval.lookups.reading import read_rows
from retrieval.types import PointInTime

FIND = sql.SQL("""
SELECT link.source_id, link.target_id, link.type, link.weight FROM banks_link AS link
WHERE link.tenant_id = {tenant} AND {made}
  AND link.source_id = ANY({unit_ids}::uuid[]) AND link.target_id = ANY({unit_ids}::uuid[])
ORDER BY link.weight DESC, link.source_id, link.target_id, link.type
""")


def include_links(
    tenant_id: UUID, unit_ids: Sequence[UUID], *, moment: PointInTime, within_seconds: float | None
) -> tuple[IncludedLink, ...]:
    """The stored edges between results: both ends are shown, so none leads out of what may be seen."""
    statement = FIND.format(
        tenant=sql.Literal(tenant_id), unit_ids=sql.Literal(list(unit_ids)), made=was_made("link", moment)
    )
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    return tuple(IncludedLink(*row) for row in rows)
