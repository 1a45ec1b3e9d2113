"""Conditions on fields of a unit that an edit may change, as they are now or were at `known_at`."""

from datetime import datetime

from psycopg import sql

from retrieval.filters.conditions import all_of
from retrieval.filters.moment import build_historical_columns
from retrieval.filters.types import TimeRange
from retrieval.types import PointInTime

UNIT = sql.Identifier("unit")
# Most units were not changed since. The inner `unit` has the fields of then.
WAS = sql.SQL("""CASE WHEN unit.updated_at <= {known} THEN {condition} ELSE EXISTS (
    SELECT FROM (SELECT {columns} FROM (VALUES (1)) AS one {joined}) AS unit WHERE {condition}
) END""")
FIELDS = ("network", "occurred_start", "occurred_end", "mentioned_at")


def apply_to_history(conditions: list[sql.Composable], moment: PointInTime) -> list[sql.Composable]:
    """The same conditions on the fields as they were at `known_at`."""
    if moment.known_at is None or not conditions:
        return conditions
    then = build_historical_columns(moment)
    return [
        WAS.format(
            known=sql.Literal(moment.known_at),
            condition=all_of(conditions),
            columns=sql.SQL(", ".join(f"{then.columns[name]} AS {name}" for name in FIELDS)),
            joined=sql.SQL(then.joined),
        )
    ]


def occurred_within(wanted: TimeRange) -> list[sql.Composable]:
    """The occurrence and the range overlap. Ends are exclusive; an occurrence without an end is a moment."""
    conditions: list[sql.Composable] = []
    if wanted.start is not None:
        conditions.append(
            sql.SQL("(unit.occurred_start >= {start} OR unit.occurred_end > {start})").format(
                start=sql.Literal(wanted.start)
            )
        )
    if wanted.end is not None:
        conditions.append(ends_by(sql.SQL("unit.occurred_start"), wanted, wanted.end))
    return conditions


def happened_within(column: str, wanted: TimeRange, *, row: sql.Identifier = UNIT) -> list[sql.Composable]:
    at = sql.SQL("{}.{}").format(row, sql.Identifier(column))
    conditions: list[sql.Composable] = []
    if wanted.start is not None:
        conditions.append(sql.SQL("{} >= {}").format(at, sql.Literal(wanted.start)))
    if wanted.end is not None:
        conditions.append(ends_by(at, wanted, wanted.end))
    return conditions


def ends_by(at: sql.Composable, wanted: TimeRange, end: datetime) -> sql.Composable:
    return sql.SQL("{} <= {}" if wanted.is_moment else "{} < {}").format(at, sql.Literal(end))
