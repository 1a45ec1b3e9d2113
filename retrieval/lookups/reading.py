"""One statement in a transaction of its own: nothing is held while a model works."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, cast
from uuid import UUID

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor, sql
from psycopg.pq import Format

from tenants.transactions import tenant_transaction

Row = tuple[Any, ...]


def reading(
    tenant_id: UUID, *, within_seconds: float | None, settings: Mapping[str, str] | None = None
) -> AbstractContextManager[None]:
    """Postgres ends a statement itself when its time is over, which raises an OperationalError.

    `settings` hold for this transaction only.
    """
    given = dict(settings or {})
    if within_seconds is not None:
        given["statement_timeout"] = str(max(1, round(within_seconds * 1000)))
    return tenant_transaction(tenant_id, settings=given)


def read_rows(
    tenant_id: UUID,
    statement: sql.Composable,
    *,
    within_seconds: float | None,
    settings: Mapping[str, str] | None = None,
) -> list[Row]:
    with reading(tenant_id, within_seconds=within_seconds, settings=settings), open_binary_cursor() as cursor:
        cursor.execute(statement)
        rows: list[Row] = cursor.fetchall()
    return rows


def open_binary_cursor() -> CursorWrapper:
    """Ids, numbers and times come as bytes, which are read in a fifth of the time that their text takes.

    Django's own cursors know text only.
    """
    cursor = Cursor(connection.connection)
    cursor.format = Format.BINARY
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    return wrap(cast("CursorWrapper", cursor))
