from collections.abc import Sequence
from uuid import UUID

from psycopg import sql

from retrieval.filters.recorded import was_recorded, was_said
from retrieval.includes.fitting import fit
from retrieval.includes.types import IncludedMessage
from retrieval.lookups.reading import read_rows
from retrieval.types import AT_PRESENT, PointInTime

# What the units quote first, each at its best place; then what stands around it in the same episode. Of messages in a
# piece that a deleted memory was taken from only the characters are shown that a unit quotes, and no neighbours.
FIND = sql.SQL("""
WITH quoted AS (
    SELECT message.id, message.episode_id, message.said_at, min(wanted.place) AS place,
        array_agg(DISTINCT source.unit_id) AS unit_ids,
        string_agg(DISTINCT substr(message.content, source.start + 1, source."end" - source.start), ' … ') AS words
    FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
    JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id AND source.tenant_id = {tenant}
    JOIN banks_message AS message ON message.id = source.message_id AND message.tenant_id = {tenant}
    WHERE {recorded} AND {said}
    GROUP BY message.id, message.episode_id, message.said_at
), around AS (
    SELECT near.id, min(quoted.place) AS place FROM quoted CROSS JOIN LATERAL (
        (SELECT message.id FROM banks_message AS message
         WHERE message.tenant_id = {tenant} AND message.episode_id = quoted.episode_id
           AND {recorded} AND {said}
           AND (message.said_at, message.id) < (quoted.said_at, quoted.id)
         ORDER BY message.said_at DESC, message.id DESC LIMIT {neighbours})
        UNION ALL
        (SELECT message.id FROM banks_message AS message
         WHERE message.tenant_id = {tenant} AND message.episode_id = quoted.episode_id
           AND {recorded} AND {said}
           AND (message.said_at, message.id) > (quoted.said_at, quoted.id)
         ORDER BY message.said_at, message.id LIMIT {neighbours})
    ) AS near
    WHERE near.id NOT IN (SELECT id FROM quoted)
    GROUP BY near.id
), shown AS (
    SELECT id, place, false AS is_neighbour, unit_ids, words FROM quoted
    UNION ALL
    SELECT id, place, true, '{{}}'::uuid[], NULL FROM around
), silenced AS (
    SELECT part.message_id FROM shown
    JOIN banks_chunkpart AS part ON part.message_id = shown.id AND part.tenant_id = {tenant}
    JOIN banks_chunk AS chunk ON chunk.id = part.chunk_id AND chunk.tenant_id = {tenant} AND NOT chunk.stands_alone
)
SELECT message.id, message.speaker, message.role,
    CASE WHEN shown.id IN (SELECT message_id FROM silenced) THEN shown.words ELSE message.content END AS told,
    message.said_at, shown.unit_ids, shown.is_neighbour
FROM shown JOIN banks_message AS message ON message.id = shown.id AND message.tenant_id = {tenant}
WHERE shown.words IS NOT NULL OR shown.id NOT IN (SELECT message_id FROM silenced)
ORDER BY shown.is_neighbour, shown.place, message.said_at, message.id
""")


def include_messages(
    tenant_id: UUID,
    unit_ids: Sequence[UUID],
    *,
    max_tokens: int,
    neighbours: int = 0,
    moment: PointInTime = AT_PRESENT,
    within_seconds: float | None = None,
) -> tuple[IncludedMessage, ...]:
    """The messages that the units quote, whole; then, where tokens are left, so many before and after each.

    Of both those that the moment shows: recorded by `known_at` and said by `as_of`.
    """
    statement = FIND.format(
        tenant=sql.Literal(tenant_id),
        unit_ids=sql.Literal(list(unit_ids)),
        neighbours=sql.Literal(neighbours),
        recorded=was_recorded("message", "recorded_at", moment),
        said=was_said("message", moment),
    )
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    return fit(
        (
            IncludedMessage(row_id, speaker, role, text, said_at, tuple(units), is_neighbour)
            for row_id, speaker, role, text, said_at, units, is_neighbour in rows
        ),
        max_tokens,
    )
