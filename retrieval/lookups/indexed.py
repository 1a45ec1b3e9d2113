"""The nearest units of a large bank through its own index (see banks.vector_index)."""

from threading import Lock
from uuid import UUID

from psycopg import sql

from banks.models import Bank
from banks.vector_index.definition import cast_vector, name_index
from providers.embedding.vector import Vector
from retrieval.filters.scope import Scope
from retrieval.lookups.distance import build_distance, quote_vector

# Found by half floats, as the index has them, and measured by whole ones.
NEAREST = sql.SQL("""(
    SELECT 'unit' AS corpus, unit.id, unit.number, {distance} AS distance
    FROM (
        SELECT unit.id, unit.number, unit.embedding FROM banks_memoryunit AS unit WHERE {condition}
        ORDER BY {stored} <=> {wanted} LIMIT {limit}
    ) AS unit
)""")
# Comes along with every search, so the next one knows, and none has to ask.
STATE = sql.SQL("""(
    SELECT 'index', NULL, NULL, (
        SELECT CASE WHEN indisvalid THEN 1.0 ELSE 0.0 END FROM pg_index WHERE indexrelid = to_regclass({name})
    )
)""")
LEAST_CANDIDATES = 40
MOST_CANDIDATES = 1000  # what pgvector accepts


class KnownIndexes:
    """The banks that had a valid index when they were last searched. Without it the same statement is a slow scan."""

    def __init__(self) -> None:
        self._bank_ids: set[UUID] = set()
        self._lock = Lock()

    def __contains__(self, bank: Bank) -> bool:
        return bank.id in self._bank_ids

    def note(self, bank: Bank, *, is_there: bool) -> None:
        with self._lock:
            (self._bank_ids.add if is_there else self._bank_ids.discard)(bank.id)


KNOWN_INDEXES = KnownIndexes()


def build_indexed_branch(vector: Vector, scope: Scope, limit: int) -> sql.Composable:
    dimension = vector.size
    return NEAREST.format(
        distance=build_distance(sql.Identifier("unit"), vector),
        condition=scope.unit,
        stored=cast_vector(sql.SQL("unit.embedding"), dimension),
        wanted=cast_vector(quote_vector(vector), dimension),
        limit=sql.Literal(limit),
    )


def build_state_branch(bank: Bank) -> sql.Composable:
    return STATE.format(name=sql.Literal(name_index(bank.id)))


def tune_index(limit: int) -> dict[str, str]:
    """Units that may not be shown are passed over: the walk goes on until enough are found."""
    candidates = min(MOST_CANDIDATES, max(LEAST_CANDIDATES, limit))
    return {"hnsw.ef_search": str(candidates), "hnsw.iterative_scan": "relaxed_order"}
