"""The rows of all four corpora that are nearest to the query, in one statement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from banks.models import Bank, Corpus
from providers.embedding.vector import Vector
from retrieval.filters.scope import Scope
from retrieval.lookups.distance import measure_distance, quote_vector
from retrieval.lookups.indexed import KNOWN_INDEXES, build_indexed_branch, build_state_branch, tune_index
from retrieval.lookups.reading import Row, read_rows
from retrieval.types import CorpusHit

TABLES = {
    Corpus.UNIT: sql.Identifier("banks_memoryunit"),
    Corpus.CHUNK: sql.Identifier("banks_chunk"),
    Corpus.EPISODE: sql.Identifier("banks_episode"),
    Corpus.RELATIONSHIP: sql.Identifier("banks_relationship"),
}
CORPORA = {corpus.value: corpus for corpus in Corpus}  # calling the class takes five times as long
NEAREST = sql.SQL("""(
    SELECT {corpus} AS corpus, {row}.id, {row}.number, {distance} AS distance
    FROM {table} AS {row} WHERE {condition} ORDER BY distance, {row}.id LIMIT {limit}
)""")


class NoVector(Exception):
    """The query has none that could be compared with the bank's."""


@dataclass(frozen=True)
class Nearest:
    """What is near to a query, best first; the score is the cosine."""

    hits: Mapping[Corpus, tuple[CorpusHit, ...]]

    def of(self, corpus: Corpus) -> tuple[CorpusHit, ...]:
        return self.hits.get(corpus, ())


def find_nearest(
    bank: Bank, vector: Vector, scope: Scope, *, limits: Mapping[Corpus, int], within_seconds: float | None
) -> Nearest:
    """Exact, but for the units of a large bank that has an index; filters that leave few of them are exact again."""
    if not vector.size:
        raise NoVector
    quoted = quote_vector(vector)
    branches = {corpus: build_branch(corpus, quoted, scope, limit) for corpus, limit in limits.items()}
    settings: Mapping[str, str] = {}
    if bank in KNOWN_INDEXES and not scope.is_selective:
        settings = tune_index(limits[Corpus.UNIT])
        branches[Corpus.UNIT] = build_indexed_branch(vector, scope, limits[Corpus.UNIT])
    statement = sql.SQL(" UNION ALL ").join([*branches.values(), build_state_branch(bank)])
    return sort_out(bank, read_rows(bank.tenant_id, statement, within_seconds=within_seconds, settings=settings))


def sort_out(bank: Bank, rows: Iterable[Row]) -> Nearest:
    found: dict[Corpus, list[CorpusHit]] = {}
    for name, row_id, number, distance in rows:
        if name == "index":
            KNOWN_INDEXES.note(bank, is_there=bool(distance))
        elif distance is not None:  # no vector yet
            corpus = CORPORA[name]
            found.setdefault(corpus, []).append(CorpusHit(corpus, row_id, min(1.0, 1.0 - distance), number))
    return Nearest({corpus: tuple(sorted(hits, key=by_score)) for corpus, hits in found.items()})


def build_branch(corpus: Corpus, quoted: sql.Composable, scope: Scope, limit: int) -> sql.Composable:
    row = sql.Identifier(corpus.value)
    return NEAREST.format(
        corpus=sql.Literal(corpus.value),
        row=row,
        table=TABLES[corpus],
        distance=measure_distance(row, quoted),
        condition=scope.of(corpus),
        limit=sql.Literal(limit),
    )


def by_score(hit: CorpusHit) -> tuple[float, UUID]:
    return -hit.score, hit.id
