"""What a memory rests on and is tied to, as far as a moment shows it, as SQL over the alias that is given."""

from datetime import datetime
from uuid import UUID

from psycopg import sql

from retrieval.filters.joining import all_of
from retrieval.types import PointInTime

TIME_BITS, BITS = 48, 128  # of a UUIDv7: milliseconds since 1970, then what tells ids of one millisecond apart


def was_recorded(row: str, column: str, moment: PointInTime) -> sql.Composable:
    """By `known_at`, where the row says when that was."""
    if moment.known_at is None:
        return all_of([])
    return sql.SQL("{}.{} <= {}").format(sql.Identifier(row), sql.Identifier(column), sql.Literal(moment.known_at))


def was_made(row: str, moment: PointInTime) -> sql.Composable:
    """By `known_at`, of a row that has no time but that in its id, which an import keeps."""
    if moment.known_at is None:
        return all_of([])
    return sql.SQL("{}.id <= {}").format(sql.Identifier(row), sql.Literal(find_last_id(moment.known_at)))


def was_said(row: str, moment: PointInTime) -> sql.Composable:
    """By `as_of`."""
    if moment.as_of is None:
        return all_of([])
    return sql.SQL("{}.said_at <= {}").format(sql.Identifier(row), sql.Literal(moment.as_of))


def find_last_id(moment: datetime) -> UUID:
    """The greatest id that a row made by then can have."""
    milliseconds = max(0, int(moment.timestamp() * 1000))
    return UUID(int=((milliseconds + 1) << (BITS - TIME_BITS)) - 1)
