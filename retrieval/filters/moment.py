"""Rows and texts at a point in time, as SQL over a given alias.

- Now: not expired, and `valid_until` is empty or in the future.
- `known_at` K: recorded by K, and not expired by K. An expiry after K was unknown then, so the row reads as open.
  Edits, merges and proofs of a unit since K are undone.
- `as_of` T: `valid_from` <= T < `valid_until`, open ends count, and never a correction.
- `history`: closed rows too.
"""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from psycopg import sql

from banks.former_values import write_former_values
from banks.rendering import RENDERED_TEXT
from retrieval.filters.conditions import all_of, any_of
from retrieval.types import PointInTime

# now() is constant within a statement and leaves its plan reusable.
CURRENT = sql.SQL("{row}.expired_at IS NULL AND ({row}.valid_until IS NULL OR {row}.valid_until > now())")
HAS_BEGUN = sql.SQL("({row}.valid_from IS NULL OR {row}.valid_from <= {then})")
NOT_OVER = sql.SQL("({row}.close_reason <> 'correction' AND ({row}.valid_until IS NULL OR {row}.valid_until > {then}))")
NOT_EXPIRED = sql.SQL("{row}.expired_at IS NULL")
EXPIRED_LATER = sql.SQL("{row}.expired_at > {known}")
NOT_CORRECTED = sql.SQL("{row}.close_reason <> 'correction'")
RECORDED = sql.SQL("{row}.recorded_at <= {known}")
TIME_BITS, BITS = 48, 128  # a UUIDv7 begins with the milliseconds since 1970


def build_moment_condition(row: sql.Identifier, moment: PointInTime) -> sql.Composable:
    """For rows with validity. `as_of` shows closed rows that were true then, whether they are closed by now or were
    closed by `known_at` (docs/adr/0009).
    """
    conditions: list[sql.Composable] = []
    if moment.known_at is not None:
        conditions.append(RECORDED.format(row=row, known=sql.Literal(moment.known_at)))
    if moment.as_of is not None:
        conditions.append(was_true(row, moment))
    elif not moment.history:
        conditions.append(was_current(row, moment))
    if not moment.corrected:
        conditions.append(NOT_CORRECTED.format(row=row))
    return all_of(conditions)


def was_current(row: sql.Identifier, moment: PointInTime) -> sql.Composable:
    if moment.known_at is None:
        return CURRENT.format(row=row)
    return any_of([NOT_EXPIRED.format(row=row), expired_later(row, moment)])


def was_true(row: sql.Identifier, moment: PointInTime) -> sql.Composable:
    then = sql.Literal(moment.as_of)
    not_over = any_of([NOT_OVER.format(row=row, then=then), expired_later(row, moment)])
    return all_of([HAS_BEGUN.format(row=row, then=then), not_over])


def expired_later(row: sql.Identifier, moment: PointInTime) -> sql.Composable:
    """Expired after `known_at`: its end was not known then."""
    if moment.known_at is None:
        return any_of([])
    return EXPIRED_LATER.format(row=row, known=sql.Literal(moment.known_at))


def was_recorded(row: str, column: str, moment: PointInTime) -> sql.Composable:
    """For rows without validity that have a column for the time of recording: recorded by `known_at`."""
    if moment.known_at is None:
        return all_of([])
    return sql.SQL("{}.{} <= {}").format(sql.Identifier(row), sql.Identifier(column), sql.Literal(moment.known_at))


def was_made(row: str, moment: PointInTime) -> sql.Composable:
    """For rows whose id holds their only time, which an import keeps: made by `known_at`."""
    if moment.known_at is None:
        return all_of([])
    return sql.SQL("{}.id <= {}").format(sql.Identifier(row), sql.Literal(find_last_id(moment.known_at)))


def was_said(row: str, moment: PointInTime) -> sql.Composable:
    """For messages and chunks: said by `as_of`."""
    if moment.as_of is None:
        return all_of([])
    return sql.SQL("{}.said_at <= {}").format(sql.Identifier(row), sql.Literal(moment.as_of))


def find_last_id(moment: datetime) -> UUID:
    """The greatest UUIDv7 that can be made at this moment."""
    milliseconds = max(0, int(moment.timestamp() * 1000))
    return UUID(int=((milliseconds + 1) << (BITS - TIME_BITS)) - 1)


# The oldest change of a field since then holds its value at the time.
FORMER = """
LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(field.key, field.value) AS fields FROM (
        SELECT DISTINCT ON (entry.key) entry.key, entry.value
        FROM ({former_values}) AS change CROSS JOIN LATERAL jsonb_each(change.before) AS entry
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
) AS tellings ON true
"""
WAS = "CASE WHEN former.fields ? '{column}' THEN (former.fields->>'{column}')::{kind} ELSE unit.{column} END"
# Each proof adds its sources and raises the count by one, so the known share of the sources estimates the known proofs.
PROOF_COUNT = """CASE WHEN tellings.known_places < tellings.places
    THEN greatest(1, round(unit.proof_count::numeric * tellings.known_places / tellings.places)::int)
    ELSE unit.proof_count END"""
MENTIONED_AT = "CASE WHEN tellings.known_places < tellings.places THEN least({was}, tellings.said_at) ELSE {was} END"
RENDERED = "CASE WHEN ({speaker}) <> '' THEN ({speaker}) || ': ' || ({text}) ELSE ({text}) END"
SEARCH_TEXT = "CASE WHEN former.fields ? 'text' THEN '' ELSE unit.search_text END"  # today's fits today's text only
COLUMNS = {
    "text": "text",
    "speaker": "text",
    "role": "text",
    "context": "text",
    "network": "text",
    "confidence": "float8",
    "occurred_start": "timestamptz",
    "occurred_end": "timestamptz",
    "mentioned_at": "timestamptz",
    "importance": "float8",
}


@dataclass(frozen=True)
class HistoricalColumns:
    """Expressions for the columns that change over time, the joins that they need, and conditions on the mentions and
    sources that show.

    `rendered` is the text with its speaker, `search_text` the one that the reranker reads. Without `known_at` all are
    plain columns, which keeps the statement of other recalls fast.
    """

    columns: dict[str, str] = field(
        default_factory=lambda: {name: f"unit.{name}" for name in (*COLUMNS, "proof_count")}
    )
    rendered: str = RENDERED_TEXT.format(unit="unit")
    search_text: str = "unit.search_text"
    joined: str = ""
    mention: str = "TRUE"
    source: str = "TRUE"
    said: str = "TRUE"


def build_historical_columns(moment: PointInTime) -> HistoricalColumns:
    """`source`: recorded by `known_at`. `said`: said by `as_of`."""
    said = sql.SQL("CASE WHEN message.id IS NULL THEN {} ELSE {} END").format(
        was_said("chunk", moment), was_said("message", moment)
    )
    if moment.known_at is None:
        return HistoricalColumns(said="TRUE" if moment.as_of is None else said.as_string())
    known = sql.Literal(moment.known_at).as_string()
    columns = {name: WAS.format(column=name, kind=kind) for name, kind in COLUMNS.items()}
    columns["mentioned_at"] = MENTIONED_AT.format(was=columns["mentioned_at"])
    recorded = sql.SQL("CASE WHEN message.id IS NULL THEN {} ELSE {} END").format(
        was_recorded("chunk", "created_at", moment), was_recorded("message", "recorded_at", moment)
    )
    return HistoricalColumns(
        columns={**columns, "proof_count": PROOF_COUNT},
        rendered=RENDERED.format(text=columns["text"], speaker=columns["speaker"]),
        search_text=SEARCH_TEXT,
        joined=FORMER.format(known=known, former_values=write_former_values(known)),
        mention=was_made("mention", moment).as_string(),
        source=recorded.as_string(),
        said="TRUE" if moment.as_of is None else said.as_string(),
    )
