from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from retrieval.includes.fitting import fit
from retrieval.includes.types import IncludedMessage
from retrieval.lookups.reading import read_rows

FIND = sql.SQL("""
SELECT message.id, message.speaker, message.role, message.content, message.said_at,
    array_agg(DISTINCT source.unit_id)
FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id
JOIN banks_message AS message ON message.id = source.message_id
WHERE message.tenant_id = {tenant}
GROUP BY message.id, message.speaker, message.role, message.content, message.said_at
ORDER BY min(wanted.place), message.said_at, message.id
""")


def include_messages(tenant_id: UUID, unit_ids: Sequence[UUID], *, max_tokens: int) -> tuple[IncludedMessage, ...]:
    """The messages that the units quote, whole."""
    statement = FIND.format(tenant=sql.Literal(tenant_id), unit_ids=sql.Literal(list(unit_ids)))
    rows = read_rows(tenant_id, statement, within_seconds=None)
    return fit(
        (
            IncludedMessage(row_id, speaker, role, text, said_at, tuple(units))
            for row_id, speaker, role, text, said_at, units in rows
        ),
        max_tokens,
    )
