"""A unit as it was known at a moment: what was told, edited or merged later is taken back, as SQL over `unit`."""

from dataclasses import dataclass, field

from psycopg import sql

from retrieval.filters.recorded import was_made, was_recorded, was_said
from retrieval.types import PointInTime

# The oldest change since then has each field as it was before.
FORMER = """
LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(field.key, field.value) AS fields FROM (
        SELECT DISTINCT ON (entry.key) entry.key, entry.value
        FROM banks_unitchange AS change CROSS JOIN LATERAL jsonb_each(change.before) AS entry
        WHERE change.tenant_id = $1 AND change.unit_id = unit.id AND change.changed_at > {known}
        ORDER BY entry.key, change.changed_at, change.id
    ) AS field
) AS former ON true
LEFT JOIN LATERAL (
    SELECT count(DISTINCT telling.place) AS places,
        count(DISTINCT telling.place) FILTER (WHERE telling.recorded_at <= {known}) AS known_places,
        max(telling.said_at) FILTER (WHERE telling.recorded_at <= {known}) AS said_at
    FROM (
        SELECT coalesce(message.id, chunk.id) AS place, coalesce(message.said_at, chunk.said_at) AS said_at,
            coalesce(message.recorded_at, chunk.created_at) AS recorded_at
        FROM banks_unitsource AS source
        LEFT JOIN banks_message AS message ON message.id = source.message_id AND message.tenant_id = $1
        LEFT JOIN banks_chunk AS chunk ON chunk.id = source.chunk_id AND chunk.tenant_id = $1
        WHERE source.unit_id = unit.id AND source.tenant_id = $1
    ) AS telling
) AS told ON true
"""
WAS = "CASE WHEN former.fields ? '{column}' THEN (former.fields->>'{column}')::{kind} ELSE unit.{column} END"
# A telling leaves its sources and raises the count by one, so as many of the proofs are known as of the sources.
PROOF_COUNT = """CASE WHEN told.known_places < told.places
    THEN greatest(1, round(unit.proof_count::numeric * told.known_places / told.places)::int)
    ELSE unit.proof_count END"""
MENTIONED_AT = "CASE WHEN told.known_places < told.places THEN least({was}, told.said_at) ELSE {was} END"
COLUMNS = {
    "text": "text",
    "context": "text",
    "network": "text",
    "confidence": "float8",
    "occurred_start": "timestamptz",
    "occurred_end": "timestamptz",
    "mentioned_at": "timestamptz",
    "importance": "float8",
}


@dataclass(frozen=True)
class AsKnown:
    """Expressions for the columns that time changes, what they need joined, and which sources and mentions show.

    Without `known_at` they are the plain columns, so the statement of every other recall stays as quick as it is.
    """

    columns: dict[str, str] = field(
        default_factory=lambda: {name: f"unit.{name}" for name in (*COLUMNS, "proof_count")}
    )
    joined: str = ""
    mention: str = "TRUE"
    source: str = "TRUE"
    said: str = "TRUE"


def build_as_known(moment: PointInTime) -> AsKnown:
    """A source must be recorded by `known_at`; of those, `said` are the ones that were said by `as_of`."""
    said = sql.SQL("CASE WHEN message.id IS NULL THEN {} ELSE {} END").format(
        was_said("chunk", moment), was_said("message", moment)
    )
    if moment.known_at is None:
        return AsKnown(said="TRUE" if moment.as_of is None else said.as_string())
    columns = {name: WAS.format(column=name, kind=kind) for name, kind in COLUMNS.items()}
    columns["mentioned_at"] = MENTIONED_AT.format(was=columns["mentioned_at"])
    recorded = sql.SQL("CASE WHEN message.id IS NULL THEN {} ELSE {} END").format(
        was_recorded("chunk", "created_at", moment), was_recorded("message", "recorded_at", moment)
    )
    return AsKnown(
        columns={**columns, "proof_count": PROOF_COUNT},
        joined=FORMER.format(known=sql.Literal(moment.known_at).as_string()),
        mention=was_made("mention", moment).as_string(),
        source=recorded.as_string(),
        said="TRUE" if moment.as_of is None else said.as_string(),
    )
