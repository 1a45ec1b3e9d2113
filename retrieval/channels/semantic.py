"""The semantic channel: units by cosine (formula 9).

Its statement finds the nearest rows of every corpus in one round trip, so the archive channels share it. The search is
exact, except for the units of a large bank, which has a vector index of its own (see banks.vector_index).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from uuid import UUID

from psycopg import sql

from banks.models import Bank, Corpus
from banks.vector_index.index import cast_vector, name_index
from banks.vectors import write_vector
from providers.embedding.vector import Vector
from retrieval.errors import NoVector
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import Scope
from retrieval.statements import Row, read_rows
from retrieval.types import CorpusHit, Hit

TABLES = {
    Corpus.UNIT: "banks_memoryunit",
    Corpus.CHUNK: "banks_chunk",
    Corpus.EPISODE: "banks_episode",
    Corpus.RELATIONSHIP: "banks_relationship",
}
CORPORA = {corpus.value: corpus for corpus in Corpus}  # a look-up here is five times as fast as Corpus(value)
NEAREST = """(
    SELECT '{row}' AS corpus, {row}.id, {row}.number, {row}.{vector} <=> $3::vector AS distance
    FROM {table} AS {row} WHERE {condition} ORDER BY distance, {row}.id LIMIT {limit}
)"""
# The index orders half floats; whole ones give the distance. The planner must see the bank's id as a value to choose
# the partial index of this bank, so this statement keeps no plan.
NEAREST_BY_INDEX = """(
    SELECT 'unit' AS corpus, unit.id, unit.number, unit.vector <=> $3::vector AS distance
    FROM (
        SELECT unit.id, unit.number, unit.{vector} AS vector FROM banks_memoryunit AS unit WHERE {condition}
        ORDER BY {nearest} LIMIT {limit}
    ) AS unit
)"""
# Every search returns the state of the index, so that the next one knows it without asking.
INDEX_STATE = """(
    SELECT 'index', NULL, NULL, (
        SELECT CASE WHEN indisvalid THEN 1.0 ELSE 0.0 END FROM pg_index WHERE indexrelid = to_regclass($4)
    )
)"""
LEAST_COSINE = 0.3  # TEMPR 3.1.1
# Few models put anything below that floor. A row so far behind the best is only there because the bank is small.
FARTHEST_BEHIND = 0.3
LEAST_CANDIDATES = 300  # for a list of 100 they find 0.997 of it in 4.4 ms, where 100 candidates find 0.963 in 3.7 ms
MOST_CANDIDATES = 1000  # pgvector's limit
# Rows to skip for each wanted one. If that is not enough, most of the bank is hidden, and comparing the rest one by one
# is faster than a longer walk: 50 ms for 30,000 units, where pgvector's 20,000 rows take 150 ms.
LONGEST_WALK = 10


def search_semantic(nearest: Sequence[CorpusHit]) -> list[Hit]:
    """The nearest units that are near enough."""
    return [Hit("unit", hit.id, hit.score) for hit in keep_near(nearest, find_best(nearest))]


def find_best(*lists: Sequence[CorpusHit]) -> float:
    return max((hits[0].score for hits in lists if hits), default=0.0)


def keep_near(hits: Iterable[CorpusHit], best: float) -> list[CorpusHit]:
    floor = max(LEAST_COSINE, best - FARTHEST_BEHIND)
    return [hit for hit in hits if hit.score >= floor]


@dataclass(frozen=True)
class Nearest:
    """The nearest rows of each corpus, best first; the score is the cosine."""

    hits: Mapping[Corpus, tuple[CorpusHit, ...]]

    def of(self, corpus: Corpus) -> tuple[CorpusHit, ...]:
        return self.hits.get(corpus, ())


class KnownIndexes:
    """The banks that had a valid index at their last search. Without the index its statement is a slow scan."""

    def __init__(self) -> None:
        self._known: set[tuple[UUID, int]] = set()
        self._lock = Lock()

    def __contains__(self, bank: Bank) -> bool:
        return (bank.id, bank.vector_slot) in self._known

    def note(self, bank: Bank, *, is_there: bool) -> None:
        with self._lock:
            (self._known.add if is_there else self._known.discard)((bank.id, bank.vector_slot))


KNOWN_INDEXES = KnownIndexes()


def find_nearest(
    bank: Bank, vector: Vector, scope: Scope, *, limits: Mapping[Corpus, int], within_seconds: float | None
) -> Nearest:
    """By the index if the bank has one and the filters are not selective.

    A point in time or a network may hide most of the units too. If the walk through the index ends early, the units are
    compared one by one in the time that is left.
    """
    if not vector.size:
        raise NoVector
    wanted = limits.get(Corpus.UNIT, 0)
    if not wanted or bank not in KNOWN_INDEXES or scope.is_selective:
        return read_nearest(bank, vector, scope, limits, within_seconds=within_seconds)
    started = monotonic()
    found = read_nearest(bank, vector, scope, limits, within_seconds=within_seconds, by_index=True)
    if len(found.of(Corpus.UNIT)) >= wanted:
        return found
    left = None if within_seconds is None else within_seconds - (monotonic() - started)
    units = read_nearest(bank, vector, scope, {Corpus.UNIT: wanted}, within_seconds=left)
    return Nearest({**found.hits, **units.hits})


def read_nearest(
    bank: Bank,
    vector: Vector,
    scope: Scope,
    limits: Mapping[Corpus, int],
    *,
    within_seconds: float | None,
    by_index: bool = False,
) -> Nearest:
    branches = {corpus: write_branch(bank, corpus, scope, limit) for corpus, limit in limits.items()}
    settings: Mapping[str, str] = {}
    if by_index:
        settings = tune_index(limits[Corpus.UNIT])
        branches[Corpus.UNIT] = write_indexed_branch(bank, scope, limits[Corpus.UNIT], vector.size)
    statement = " UNION ALL ".join([*branches.values(), INDEX_STATE])
    values = (*list_owners(bank), write_vector(vector), name_index(bank.id, bank.vector_slot))
    rows = read_rows(bank.tenant_id, statement, values, within_seconds=within_seconds, settings=settings)
    return group_by_corpus(bank, rows)


def group_by_corpus(bank: Bank, rows: Iterable[Row]) -> Nearest:
    found: dict[Corpus, list[CorpusHit]] = {}
    for name, row_id, number, distance in rows:
        if name == "index":
            KNOWN_INDEXES.note(bank, is_there=bool(distance))
        elif distance is not None:  # None: not embedded yet
            corpus = CORPORA[name]
            found.setdefault(corpus, []).append(CorpusHit(corpus, row_id, min(1.0, 1.0 - distance), number))
    return Nearest({corpus: tuple(sorted(hits, key=by_score)) for corpus, hits in found.items()})


def by_score(hit: CorpusHit) -> tuple[float, UUID]:
    return -hit.score, hit.id


def write_branch(bank: Bank, corpus: Corpus, scope: Scope, limit: int) -> str:
    return NEAREST.format(
        row=corpus.value,
        table=TABLES[corpus],
        vector=bank.vector_column,
        condition=scope.of(corpus),
        limit=limit,
    )


def write_indexed_branch(bank: Bank, scope: Scope, limit: int, dimension: int) -> str:
    nearest = write_index_order(bank, dimension)
    return NEAREST_BY_INDEX.format(condition=scope.unit, vector=bank.vector_column, nearest=nearest, limit=limit)


def write_index_order(bank: Bank, dimension: int) -> str:
    """The order by which the planner chooses the bank's index, for the vector $3."""
    stored = cast_vector(sql.Identifier("unit", bank.vector_column), dimension)
    wanted = cast_vector(sql.SQL("$3::vector"), dimension)
    return f"{stored.as_string()} <=> {wanted.as_string()}"


def tune_index(limit: int) -> dict[str, str]:
    """The walk skips hidden units until it has enough or has gone too far."""
    wanted = max(LEAST_CANDIDATES, limit)
    return {
        "hnsw.ef_search": str(min(MOST_CANDIDATES, wanted)),
        "hnsw.iterative_scan": "relaxed_order",
        "hnsw.max_scan_tuples": str(LONGEST_WALK * wanted),
    }
