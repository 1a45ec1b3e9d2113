"""What there is: the state of a bank's index, and how large the bank is."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from banks.models import Bank
from banks.vector_index.definition import name_index

STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
COUNT = """
SELECT count(*) FROM (
    SELECT FROM banks_memoryunit WHERE tenant_id = %s AND bank_id = %s LIMIT %s
) AS counted
"""
DIMENSION = """
SELECT vector_dims(embedding) FROM banks_memoryunit
WHERE tenant_id = %s AND bank_id = %s AND embedding IS NOT NULL LIMIT 1
"""


@dataclass(frozen=True)
class IndexState:
    """Not valid: a build was cut off, and left a husk that costs writes and serves nobody."""

    exists: bool
    is_valid: bool


def read_state(bank_pk: UUID) -> IndexState:
    """Names are not secret, so this asks no tenant."""
    with connection.cursor() as cursor:
        cursor.execute(STATE, [name_index(bank_pk)])
        row = cursor.fetchone()
    return IndexState(row is not None, bool(row and row[0]))


def count_units(bank: Bank, *, at_most: int) -> int:
    """Call inside a tenant transaction. Counting stops there: nobody needs to know how much larger a bank is."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [bank.tenant_id, bank.id, at_most])
        return int(cursor.fetchone()[0])


def find_dimension(bank: Bank) -> int | None:
    """Call inside a tenant transaction."""
    with connection.cursor() as cursor:
        cursor.execute(DIMENSION, [bank.tenant_id, bank.id])
        row = cursor.fetchone()
    return int(row[0]) if row else None
