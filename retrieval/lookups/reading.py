"""One statement in a transaction of its own: nothing is held while a model works."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import sql

from tenants.transactions import tenant_transaction

Row = tuple[Any, ...]
SET = "SELECT set_config(name, value, true) FROM unnest(%s::text[], %s::text[]) AS setting (name, value)"


@contextmanager
def reading(
    tenant_id: UUID, *, within_seconds: float | None, settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Postgres ends a statement itself when its time is over, which raises an OperationalError.

    `settings` hold for this transaction only.
    """
    given = dict(settings or {})
    if within_seconds is not None:
        given["statement_timeout"] = str(max(1, round(within_seconds * 1000)))
    with tenant_transaction(tenant_id):
        if given:
            with connection.cursor() as cursor:
                cursor.execute(SET, [list(given), list(given.values())])
        yield


def read_rows(
    tenant_id: UUID,
    statement: sql.Composable,
    *,
    within_seconds: float | None,
    settings: Mapping[str, str] | None = None,
) -> list[Row]:
    with reading(tenant_id, within_seconds=within_seconds, settings=settings), connection.cursor() as cursor:
        cursor.execute(statement)
        rows: list[Row] = cursor.fetchall()
    return rows
