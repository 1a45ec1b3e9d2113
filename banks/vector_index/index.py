"""The vector indexes of one bank: their names and definitions, their state, and when they are built or dropped.

Each corpus has one of its own. Every index costs time at each write of the table, so small banks have none. A scan of
10,000 units takes 9 ms and is exact. The index finds the nearest 100 in 4 ms, and takes longer than the scan for the
nearest 600.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db import connection, connections
from psycopg import sql

from banks.models import Bank, Corpus
from banks.models.bank import VECTOR_COLUMNS

TABLES = {
    Corpus.UNIT: "banks_memoryunit",
    Corpus.CHUNK: "banks_chunk",
    Corpus.EPISODE: "banks_episode",
    Corpus.RELATIONSHIP: "banks_relationship",
}
SLOTS = (0, 1)
SUFFIXES = ("", "_second")  # by slot
LARGEST_DIMENSION = 4_000  # of what pgvector can index as half floats

# Half floats give the same order at half the size. Superseded units are indexed too, for searches of the past.
CREATE = sql.SQL("""
CREATE INDEX CONCURRENTLY {name} ON {table}
USING hnsw (({vector}) halfvec_cosine_ops) WHERE bank_id = {bank_id}
""")


@dataclass(frozen=True)
class VectorIndex:
    """The index of one corpus of a bank, over one of the two columns of vectors."""

    bank_pk: UUID
    slot: int = 0
    corpus: Corpus = Corpus.UNIT

    @property
    def name(self) -> str:
        return f"{self.corpus.value}_vectors_{self.bank_pk.hex}{SUFFIXES[self.slot]}"

    @property
    def table(self) -> sql.Identifier:
        return sql.Identifier(TABLES[self.corpus])


def build_create(index: VectorIndex, dimension: int) -> sql.Composed:
    return CREATE.format(
        name=sql.Identifier(index.name),
        table=index.table,
        vector=cast_vector(sql.Identifier(VECTOR_COLUMNS[index.slot]), dimension),
        bank_id=sql.Literal(index.bank_pk),
    )


def cast_vector(vector: sql.Composable, dimension: int) -> sql.Composed:
    """The column has no fixed dimension, but an index needs one."""
    return sql.SQL("{vector}::halfvec({dimension})").format(vector=vector, dimension=sql.Literal(dimension))


STATES = """
SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(name))
FROM unnest(%s::text[]) WITH ORDINALITY AS wanted (name, place) ORDER BY place
"""
COUNT = (
    "(SELECT count(*) FROM (SELECT FROM {} WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s LIMIT %(most)s) AS row)"
)
COUNTS = f"SELECT {', '.join(COUNT.format(table) for table in TABLES.values())}"
DIMENSION = sql.SQL("""
SELECT vector_dims({vector}) FROM {table}
WHERE tenant_id = %s AND bank_id = %s AND {vector} IS NOT NULL LIMIT 1
""")


@dataclass(frozen=True)
class IndexState:
    """An index that is not valid is left from an interrupted build: it costs writes and serves no search."""

    exists: bool
    is_valid: bool


def read_state(index: VectorIndex) -> IndexState:
    return read_states(index)[0]


def read_states(*indexes: VectorIndex) -> list[IndexState]:
    """Needs no tenant: the name of an index is no secret."""
    with connection.cursor() as cursor:
        cursor.execute(STATES, [[index.name for index in indexes]])
        return [IndexState(is_valid is not None, bool(is_valid)) for (is_valid,) in cursor.fetchall()]


def count_rows(bank: Bank, *, at_most: int) -> Mapping[Corpus, int]:
    """Call inside a tenant transaction. Counting stops at `at_most`."""
    with connection.cursor() as cursor:
        cursor.execute(COUNTS, {"tenant": bank.tenant_id, "bank": bank.id, "most": at_most})
        return dict(zip(TABLES, cursor.fetchone(), strict=True))


def find_dimension(bank: Bank, slot: int = 0, corpus: Corpus = Corpus.UNIT) -> int | None:
    """Call inside a tenant transaction."""
    vector, table = sql.Identifier(VECTOR_COLUMNS[slot]), sql.Identifier(TABLES[corpus])
    statement = DIMENSION.format(vector=vector, table=table)
    with connection.cursor() as cursor:
        cursor.execute(statement.as_string(), [bank.tenant_id, bank.id])
        row = cursor.fetchone()
    return int(row[0]) if row else None


OWNER = "owner"
# The graph of some hundred thousand units fits. One process: several need shared memory that a container may lack.
TUNE = "SET maintenance_work_mem = '256MB'; SET max_parallel_maintenance_workers = 0"
RESET = "RESET maintenance_work_mem; RESET max_parallel_maintenance_workers"
# The planner uses the index only if the statistics show that the bank is large.
ANALYSE = sql.SQL("ANALYZE {} ({})")
ANALYSED = {Corpus.UNIT: ("bank_id", "tenant_id", "expired_at")}
LOCK = "SELECT pg_advisory_lock(hashtextextended(%s, 0))"
UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"


def create_index(index: VectorIndex, dimension: int) -> bool:
    """Build the index while readers and writers continue. Returns whether it was missing. Call outside transactions.

    The remains of an interrupted build are removed first. Two callers take turns, and the second has nothing to do.
    """
    with only_builder(index):
        state = read_state(index)
        if state.is_valid:
            return False
        if state.exists:
            execute(build_drop(index))
        execute(build_create(index, dimension))
        columns = ANALYSED.get(index.corpus, ("bank_id", "tenant_id"))
        execute(ANALYSE.format(index.table, sql.SQL(", ").join(map(sql.Identifier, columns))))
    return True


def drop_index(index: VectorIndex) -> bool:
    """Returns whether there was an index. Call outside transactions."""
    with only_builder(index):
        if not read_state(index).exists:
            return False
        execute(build_drop(index))
    return True


def drop_indexes(bank_pk: UUID, slots: Sequence[int] = SLOTS) -> None:
    """Of all corpora, for a bank that is deleted or no longer uses a column. Call outside transactions."""
    indexes = [VectorIndex(bank_pk, slot, corpus) for slot in slots for corpus in TABLES]
    for index, state in zip(indexes, read_states(*indexes), strict=True):
        if state.exists:
            drop_index(index)


def build_drop(index: VectorIndex) -> sql.Composed:
    return sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(index.name))


@contextmanager
def only_builder(index: VectorIndex) -> Iterator[None]:
    """Hold a lock of the session: CONCURRENTLY can't run inside a transaction."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(LOCK, [index.name])
        cursor.execute(TUNE)
        try:
            yield
        finally:
            cursor.execute(RESET)
            cursor.execute(UNLOCK, [index.name])


def execute(statement: sql.Composable) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(statement)


SHRUNK = 0.5  # share of the building size below which an index is dropped, so that no bank changes back and forth


class Need(StrEnum):
    BUILD = "build"
    DROP = "drop"


def find_needs(bank: Bank) -> dict[Corpus, Need]:
    """Only those to build or to drop. Call inside a tenant transaction."""
    least = settings.VECTOR_INDEX_UNITS
    states = read_states(*(VectorIndex(bank.id, bank.vector_slot, corpus) for corpus in TABLES))
    needs = {}
    for (corpus, size), state in zip(count_rows(bank, at_most=least).items(), states, strict=True):
        if size >= least and not state.is_valid:
            needs[corpus] = Need.BUILD
        elif size < least and state.exists and (size < least * SHRUNK or not state.is_valid):
            needs[corpus] = Need.DROP
    return needs
