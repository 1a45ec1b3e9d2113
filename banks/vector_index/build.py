"""Making and dropping indexes, on the owner's connection: the service owns no table."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connections
from psycopg import sql

from banks.vector_index.definition import build_create, name_index
from banks.vector_index.lookup import read_state

OWNER = "owner"
# The graph of some hundred thousand units fits. One process: several would share memory that a container may not have.
TUNE = "SET maintenance_work_mem = '256MB'; SET max_parallel_maintenance_workers = 0"
RESET = "RESET maintenance_work_mem; RESET max_parallel_maintenance_workers"
# The planner takes the index where it knows the bank to be large.
ANALYSE = sql.SQL("ANALYZE banks_memoryunit (bank_id, tenant_id, expired_at)")
LOCK = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"


def create_index(bank_pk: UUID, dimension: int) -> bool:
    """Build it while readers and writers go on; says whether there was anything to do. Call outside transactions.

    A husk of a build that was cut off is removed first. Two callers take turns, and the second finds it made.
    """
    with only_builder(bank_pk):
        state = read_state(bank_pk)
        if state.is_valid:
            return False
        if state.exists:
            execute(build_drop(bank_pk))
        execute(build_create(bank_pk, dimension))
        execute(ANALYSE)
    return True


def drop_index(bank_pk: UUID) -> bool:
    """Says whether there was one. Call outside transactions."""
    with only_builder(bank_pk):
        if not read_state(bank_pk).exists:
            return False
        execute(build_drop(bank_pk))
    return True


def build_drop(bank_pk: UUID) -> sql.Composed:
    return sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name_index(bank_pk)))


@contextmanager
def only_builder(bank_pk: UUID) -> Iterator[None]:
    """The lock is the session's: CONCURRENTLY can't run inside a transaction that would hold it."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(LOCK, [name_index(bank_pk)])
        cursor.execute(TUNE)
        try:
            yield
        finally:
            cursor.execute(RESET)
            cursor.execute(UNLOCK, [name_index(bank_pk)])


def execute(statement: sql.Composable) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(statement)
