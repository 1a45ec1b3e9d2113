"""The vector index of one bank: its name and definition, its state, and when it is built or dropped.

Every index costs time at each write of the table, so small banks have none. A scan of 10,000 units takes 9 ms and is
exact. The index finds the nearest 100 in 4 ms, and takes longer than the scan for the nearest 600.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from banks.models import Bank
from banks.models.bank import VECTOR_COLUMNS

PREFIX = "unit_vectors_"
SLOTS = (0, 1)
SUFFIXES = ("", "_second")  # by slot
LARGEST_DIMENSION = 4_000  # of what pgvector can index as half floats

# Half floats give the same order at half the size. Superseded units are indexed too, for searches of the past.
CREATE = sql.SQL("""
CREATE INDEX CONCURRENTLY {name} ON banks_memoryunit
USING hnsw (({vector}) halfvec_cosine_ops) WHERE bank_id = {bank_id}
""")


def name_index(bank_pk: UUID, slot: int = 0) -> str:
    return f"{PREFIX}{bank_pk.hex}{SUFFIXES[slot]}"


def build_create(bank_pk: UUID, dimension: int, slot: int = 0) -> sql.Composed:
    return CREATE.format(
        name=sql.Identifier(name_index(bank_pk, slot)),
        vector=cast_vector(sql.Identifier(VECTOR_COLUMNS[slot]), dimension),
        bank_id=sql.Literal(bank_pk),
    )


def cast_vector(vector: sql.Composable, dimension: int) -> sql.Composed:
    """The column has no fixed dimension, but an index needs one."""
    return sql.SQL("{vector}::halfvec({dimension})").format(vector=vector, dimension=sql.Literal(dimension))


STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
COUNT = """
SELECT count(*) FROM (
    SELECT FROM banks_memoryunit WHERE tenant_id = %s AND bank_id = %s LIMIT %s
) AS counted
"""
DIMENSION = sql.SQL("""
SELECT vector_dims({vector}) FROM banks_memoryunit
WHERE tenant_id = %s AND bank_id = %s AND {vector} IS NOT NULL LIMIT 1
""")


@dataclass(frozen=True)
class IndexState:
    """An index that is not valid is left from an interrupted build: it costs writes and serves no search."""

    exists: bool
    is_valid: bool


def read_state(bank_pk: UUID, slot: int = 0) -> IndexState:
    """Needs no tenant: the name of an index is no secret."""
    with connection.cursor() as cursor:
        cursor.execute(STATE, [name_index(bank_pk, slot)])
        row = cursor.fetchone()
    return IndexState(row is not None, bool(row and row[0]))


def count_units(bank: Bank, *, at_most: int) -> int:
    """Call inside a tenant transaction. Counting stops at `at_most`."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [bank.tenant_id, bank.id, at_most])
        return int(cursor.fetchone()[0])


def find_dimension(bank: Bank, slot: int = 0) -> int | None:
    """Call inside a tenant transaction."""
    statement = DIMENSION.format(vector=sql.Identifier(VECTOR_COLUMNS[slot]))
    with connection.cursor() as cursor:
        cursor.execute(statement.as_string(), [bank.tenant_id, bank.id])
        row = cursor.fetchone()
    return int(row[0]) if row else None


OWNER = "owner"
# The graph of some hundred thousand units fits. One process: several need shared memory that a container may lack.
TUNE = "SET maintenance_work_mem = '256MB'; SET max_parallel_maintenance_workers = 0"
RESET = "RESET maintenance_work_mem; RESET max_parallel_maintenance_workers"
# The planner uses the index only if the statistics show that the bank is large.
ANALYSE = sql.SQL("ANALYZE banks_memoryunit (bank_id, tenant_id, expired_at)")
LOCK = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"


def create_index(bank_pk: UUID, dimension: int, slot: int = 0) -> bool:
    """Build the index while readers and writers continue. Returns whether it was missing. Call outside transactions.

    The remains of an interrupted build are removed first. Two callers take turns, and the second has nothing to do.
    """
    with only_builder(bank_pk, slot):
        state = read_state(bank_pk, slot)
        if state.is_valid:
            return False
        if state.exists:
            execute(build_drop(bank_pk, slot))
        execute(build_create(bank_pk, dimension, slot))
        execute(ANALYSE)
    return True


def drop_index(bank_pk: UUID, slot: int = 0) -> bool:
    """Returns whether there was an index. Call outside transactions."""
    with only_builder(bank_pk, slot):
        if not read_state(bank_pk, slot).exists:
            return False
        execute(build_drop(bank_pk, slot))
    return True


def drop_indexes(bank_pk: UUID) -> None:
    """Of both slots, for a bank that is deleted. Call outside transactions."""
    for slot in SLOTS:
        if read_state(bank_pk, slot).exists:
            drop_index(bank_pk, slot)


def build_drop(bank_pk: UUID, slot: int) -> sql.Composed:
    return sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name_index(bank_pk, slot)))


@contextmanager
def only_builder(bank_pk: UUID, slot: int) -> Iterator[None]:
    """Hold a lock of the session: CONCURRENTLY can't run inside a transaction."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(LOCK, [name_index(bank_pk, slot)])
        cursor.execute(TUNE)
        try:
            yield
        finally:
            cursor.execute(RESET)
            cursor.execute(UNLOCK, [name_index(bank_pk, slot)])


def execute(statement: sql.Composable) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(statement)


SHRUNK = 0.5  # share of the building size below which an index is dropped, so that no bank changes back and forth


class Need(StrEnum):
    BUILD = "build"
    DROP = "drop"
    NOTHING = "nothing"


def find_need(bank: Bank) -> Need:
    """Call inside a tenant transaction."""
    state = read_state(bank.id, bank.vector_slot)
    size = count_units(bank, at_most=settings.VECTOR_INDEX_UNITS)
    if size >= settings.VECTOR_INDEX_UNITS:
        return Need.NOTHING if state.is_valid else Need.BUILD
    if state.exists and (size < settings.VECTOR_INDEX_UNITS * SHRUNK or not state.is_valid):
        return Need.DROP
    return Need.NOTHING
