"""The semantic channel: units by cosine (formula 9).

Its statement finds the nearest rows of every corpus in one round trip, so the archive channels share it. The search is
exact, except for the corpora of a large bank that have vector indexes of their own (see banks.vector_index).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from uuid import UUID

from psycopg import sql

from banks.models import Bank, Corpus
from banks.vector_index.index import TABLES, VectorIndex, cast_vector
from banks.vectors import write_vector
from providers.embedding.vector import Vector
from retrieval.errors import NoVector
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import Scope
from retrieval.statements import Row, read_rows
from retrieval.types import CorpusHit, Hit

CORPORA = {corpus.value: corpus for corpus in Corpus}  # a look-up here is five times as fast as Corpus(value)
NEAREST = """(
    SELECT '{row}' AS corpus, {row}.id, {row}.number, {row}.{vector} <=> $3::vector AS distance
    FROM {table} AS {row} WHERE {condition} ORDER BY distance, {row}.id LIMIT {limit}
)"""
# The index orders half floats; whole ones give the distance. The planner must see the bank's id as a value to choose
# the partial index of this bank, so this statement keeps no plan.
NEAREST_BY_INDEX = """(
    SELECT '{row}' AS corpus, {row}.id, {row}.number, {row}.vector <=> $3::vector AS distance
    FROM (
        SELECT {row}.id, {row}.number, {row}.{vector} AS vector FROM {table} AS {row} WHERE {condition}
        ORDER BY {nearest} LIMIT {limit}
    ) AS {row}
)"""
# Every search returns the state of the indexes, so that the next one knows it without asking.
INDEX_STATES = """(
    SELECT 'index', NULL, place::int, (
        SELECT CASE WHEN indisvalid THEN 1.0 ELSE 0.0 END FROM pg_index WHERE indexrelid = to_regclass(name)
    )
    FROM unnest($4::text[]) WITH ORDINALITY AS wanted (name, place)
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
    """The indexes that were valid at the last search. Without the index its statement is a slow scan."""

    def __init__(self) -> None:
        self._known: set[VectorIndex] = set()
        self._lock = Lock()

    def __contains__(self, index: VectorIndex) -> bool:
        return index in self._known

    def note(self, index: VectorIndex, *, is_there: bool) -> None:
        with self._lock:
            (self._known.add if is_there else self._known.discard)(index)


KNOWN_INDEXES = KnownIndexes()


def find_nearest(
    bank: Bank, vector: Vector, scope: Scope, *, limits: Mapping[Corpus, int], within_seconds: float | None
) -> Nearest:
    """By the indexes that the bank has, if the filters are not selective.

    A point in time or a network may hide most rows too. Where the walk through an index ends early, the rows are
    compared one by one in the time that is left.
    """
    if not vector.size:
        raise NoVector
    indexed = set() if scope.is_selective else find_known(bank, limits)
    started = monotonic()
    found = read_nearest(bank, vector, scope, limits, within_seconds=within_seconds, indexed=indexed)
    short = {corpus: limits[corpus] for corpus in indexed if len(found.of(corpus)) < limits[corpus]}
    if not short:
        return found
    left = None if within_seconds is None else within_seconds - (monotonic() - started)
    scanned = read_nearest(bank, vector, scope, short, within_seconds=left)
    return Nearest({**found.hits, **scanned.hits})


def find_known(bank: Bank, limits: Mapping[Corpus, int]) -> set[Corpus]:
    wanted = [corpus for corpus, limit in limits.items() if limit]
    return {corpus for corpus in wanted if VectorIndex(bank.id, bank.vector_slot, corpus) in KNOWN_INDEXES}


def read_nearest(
    bank: Bank,
    vector: Vector,
    scope: Scope,
    limits: Mapping[Corpus, int],
    *,
    within_seconds: float | None,
    indexed: Collection[Corpus] = (),
) -> Nearest:
    branches = [
        write_indexed_branch(bank, corpus, scope, limit, vector.size)
        if corpus in indexed
        else write_branch(bank, corpus, scope, limit)
        for corpus, limit in limits.items()
    ]
    settings = tune_index(max(limits[corpus] for corpus in indexed)) if indexed else {}
    names = [VectorIndex(bank.id, bank.vector_slot, corpus).name for corpus in TABLES]
    statement = " UNION ALL ".join([*branches, INDEX_STATES])
    values = (*list_owners(bank), write_vector(vector), "{" + ",".join(names) + "}")
    rows = read_rows(bank.tenant_id, statement, values, within_seconds=within_seconds, settings=settings)
    return group_by_corpus(bank, rows)


def group_by_corpus(bank: Bank, rows: Iterable[Row]) -> Nearest:
    indexes = [VectorIndex(bank.id, bank.vector_slot, corpus) for corpus in TABLES]
    found: dict[Corpus, list[CorpusHit]] = {}
    for name, row_id, number, distance in rows:
        if name == "index":
            KNOWN_INDEXES.note(indexes[number - 1], is_there=bool(distance))
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


def write_indexed_branch(bank: Bank, corpus: Corpus, scope: Scope, limit: int, dimension: int) -> str:
    return NEAREST_BY_INDEX.format(
        row=corpus.value,
        table=TABLES[corpus],
        condition=scope.of(corpus),
        vector=bank.vector_column,
        nearest=write_index_order(bank, corpus, dimension),
        limit=limit,
    )


def write_index_order(bank: Bank, corpus: Corpus, dimension: int) -> str:
    """The order by which the planner chooses the index of the corpus, for the vector $3."""
    stored = cast_vector(sql.Identifier(corpus.value, bank.vector_column), dimension)
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
