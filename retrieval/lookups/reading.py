"""One statement in a transaction of its own: nothing is held while a model works."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, cast
from uuid import UUID

from django.conf import settings as django_settings
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from retrieval.lookups.one_trip import ReadingCursor, Row, Statement
from tenants.transactions import TENANT_SETTING, tenant_transaction

KEEP_PLAN = {"plan_cache_mode": "force_generic_plan"}  # from the first time on, not after five others


def reading(
    tenant_id: UUID, *, within_seconds: float | None, settings: Mapping[str, str] | None = None
) -> AbstractContextManager[None]:
    """Postgres ends a statement itself when its time is over, which raises an OperationalError.

    `settings` hold for this transaction only.
    """
    return tenant_transaction(tenant_id, settings=limit_time(within_seconds, settings))


def limit_time(within_seconds: float | None, settings: Mapping[str, str] | None) -> dict[str, str]:
    given = dict(settings or {})
    if within_seconds is not None:
        given["statement_timeout"] = str(max(1, round(within_seconds * 1000)))
    return given


def read_rows(
    tenant_id: UUID,
    statement: sql.Composable | str,
    values: Sequence[Any] = (),
    *,
    within_seconds: float | None,
    settings: Mapping[str, str] | None = None,
    keeps_plan: bool = False,
) -> list[Row]:
    """`values` stand for $1, $2 and so on. A transaction that is open serves; else the statement makes its own."""
    text = statement if isinstance(statement, str) else statement.as_string()
    keeps_plan = keeps_plan and may_prepare()
    wanted = Statement(text, values, keeps_plan=keeps_plan)
    if connection.in_atomic_block:
        with reading(tenant_id, within_seconds=within_seconds, settings=settings):
            return fetch(wanted, ReadingCursor(connection.connection))
    given = limit_time(within_seconds, settings) | (KEEP_PLAN if keeps_plan else {})
    connection.ensure_connection()
    try:
        return fetch(wanted, ReadingCursor(connection.connection, given | {TENANT_SETTING: str(tenant_id)}))
    except DatabaseError:
        if keeps_plan:
            drop_connection()
        raise


def drop_connection() -> None:
    """For good, not back to the pool. A statement whose preparing fails in a pipeline, because its table is locked, is
    taken for prepared by psycopg from then on, and whoever has the connection next can't run it.
    """
    connection.connection.close()
    connection.close()


def may_prepare() -> bool:
    """Some poolers can't keep statements, and Django's log of queries has no text for those that are prepared."""
    return bool(django_settings.DATABASE_PREPARED_STATEMENTS) and not connection.queries_logged


def fetch(statement: Statement, cursor: ReadingCursor) -> list[Row]:
    """Through Django's wrapper, which counts and logs statements and makes the database's errors Django's."""
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    with wrap(cast("CursorWrapper", cursor)) as wrapped:
        wrapped.execute(cast("str", statement))
        rows: list[Row] = wrapped.fetchall()
    return rows
