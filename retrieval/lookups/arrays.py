"""Long arrays as SQL. Digits need no escaping, and psycopg would look at each of them by itself."""

from collections.abc import Iterable
from uuid import UUID

from psycopg import sql


def id_array(ids: Iterable[UUID]) -> sql.Composable:
    return sql.SQL("'{{{}}}'::uuid[]").format(sql.SQL(",".join([f"{one.int:032x}" for one in ids])))


def number_array(numbers: Iterable[int]) -> sql.Composable:
    return sql.SQL("'{{{}}}'::int[]").format(sql.SQL(",".join(map(str, numbers))))
