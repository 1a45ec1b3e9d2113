"""SQL conditions as composable parts. Values are quoted literals, so a condition fits anywhere in a statement.

Tenant and bank are the exception: they are $1 and $2 of every statement that holds a condition, see `list_owners`.
"""

from collections.abc import Iterable
from uuid import UUID

from psycopg import sql

from banks.models import Bank

OWN = sql.SQL("{row}.tenant_id = $1 AND {row}.bank_id = $2")


def all_of(conditions: Iterable[sql.Composable]) -> sql.Composable:
    parts = list(conditions)
    return sql.SQL("({})").format(sql.SQL(" AND ").join(parts)) if parts else sql.SQL("TRUE")


def any_of(conditions: Iterable[sql.Composable]) -> sql.Composable:
    parts = list(conditions)
    return sql.SQL("({})").format(sql.SQL(" OR ").join(parts)) if parts else sql.SQL("FALSE")


def text_array(values: tuple[str, ...]) -> sql.Composable:
    return sql.SQL("{}::text[]").format(sql.Literal(list(values)))


def is_own(row: sql.Identifier) -> sql.Composable:
    return OWN.format(row=row)


def list_owners(bank: Bank) -> tuple[UUID, UUID]:
    """The values of $1 and $2."""
    return bank.tenant_id, bank.id
