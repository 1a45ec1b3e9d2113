from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from retrieval.filters.recorded import was_recorded, was_said
from retrieval.includes.fitting import fit
from retrieval.includes.types import IncludedChunk
from retrieval.lookups.reading import read_rows
from retrieval.types import AT_PRESENT, PointInTime

FIND = sql.SQL("""
WITH resting AS (
    SELECT wanted.unit_id, wanted.place, source.chunk_id
    FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
    JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id AND source.chunk_id IS NOT NULL
    UNION
    SELECT wanted.unit_id, wanted.place, part.chunk_id
    FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
    JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id
    JOIN banks_chunkpart AS part ON part.message_id = source.message_id
     AND source.start < part.message_end AND source."end" > part.message_start
)
SELECT chunk.id, chunk.text, chunk.position, chunk.heading, chunk.said_at, coalesce(document.document_id, ''),
    array_agg(resting.unit_id ORDER BY resting.place)
FROM resting JOIN banks_chunk AS chunk ON chunk.id = resting.chunk_id
LEFT JOIN banks_document AS document ON document.id = chunk.document_id
WHERE chunk.tenant_id = {tenant} AND chunk.stands_alone AND {recorded} AND {said}
GROUP BY chunk.id, chunk.text, chunk.position, chunk.heading, chunk.said_at, document.document_id
ORDER BY min(resting.place), chunk.said_at, chunk.id
""")


def include_chunks(
    tenant_id: UUID,
    unit_ids: Sequence[UUID],
    *,
    max_tokens: int,
    moment: PointInTime = AT_PRESENT,
    within_seconds: float | None = None,
) -> tuple[IncludedChunk, ...]:
    """The pieces of the archive that the units quote, those that the moment shows.

    One that a deleted memory was taken from is left out: it would tell what was to go.
    """
    statement = FIND.format(
        tenant=sql.Literal(tenant_id),
        unit_ids=sql.Literal(list(unit_ids)),
        recorded=was_recorded("chunk", "created_at", moment),
        said=was_said("chunk", moment),
    )
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    return fit(
        (
            IncludedChunk(row_id, text, position, heading, said_at, document_id, tuple(units))
            for row_id, text, position, heading, said_at, document_id, units in rows
        ),
        max_tokens,
    )
