"""Whose rows are searched: tenant and bank are the first two values of every statement that holds a condition."""

from uuid import UUID

from psycopg import sql

from banks.models import Bank

OWN = sql.SQL("{row}.tenant_id = $1 AND {row}.bank_id = $2")


def is_own(row: sql.Identifier) -> sql.Composable:
    return OWN.format(row=row)


def list_owners(bank: Bank) -> tuple[UUID, UUID]:
    return bank.tenant_id, bank.id
