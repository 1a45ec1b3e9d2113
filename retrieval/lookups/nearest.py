"""The rows of all four corpora that are nearest to the query, in one statement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from banks.models import Bank, Corpus
from banks.vector_index.definition import name_index
from banks.vector_index.literal import write_vector
from providers.embedding.vector import Vector
from retrieval.filters.own import list_owners
from retrieval.filters.scope import Scope
from retrieval.lookups.indexed import KNOWN_INDEXES, STATE, tune_index, write_indexed_branch
from retrieval.lookups.one_trip import Row
from retrieval.lookups.reading import read_rows
from retrieval.types import CorpusHit

TABLES = {
    Corpus.UNIT: "banks_memoryunit",
    Corpus.CHUNK: "banks_chunk",
    Corpus.EPISODE: "banks_episode",
    Corpus.RELATIONSHIP: "banks_relationship",
}
CORPORA = {corpus.value: corpus for corpus in Corpus}  # calling the class takes five times as long
NEAREST = """(
    SELECT '{row}' AS corpus, {row}.id, {row}.number, {row}.embedding <=> $3::vector AS distance
    FROM {table} AS {row} WHERE {condition} ORDER BY distance, {row}.id LIMIT {limit}
)"""


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
    """Exact, but for the units of a large bank that has an index; filters that leave few of them are exact again.

    A moment or a network may hide most of the units too. The walk through the index then ends before it has enough,
    and the units are searched again without it, in the time that is left.
    """
    if not vector.size:
        raise NoVector
    wanted = limits.get(Corpus.UNIT, 0)
    if not wanted or bank not in KNOWN_INDEXES or scope.is_selective:
        return search(bank, vector, scope, limits, within_seconds=within_seconds)
    started = monotonic()
    found = search(bank, vector, scope, limits, within_seconds=within_seconds, by_index=True)
    if len(found.of(Corpus.UNIT)) >= wanted:
        return found
    left = None if within_seconds is None else within_seconds - (monotonic() - started)
    units = search(bank, vector, scope, {Corpus.UNIT: wanted}, within_seconds=left)
    return Nearest({**found.hits, **units.hits})


def search(
    bank: Bank,
    vector: Vector,
    scope: Scope,
    limits: Mapping[Corpus, int],
    *,
    within_seconds: float | None,
    by_index: bool = False,
) -> Nearest:
    branches = {corpus: write_branch(corpus, scope, limit) for corpus, limit in limits.items()}
    settings: Mapping[str, str] = {}
    if by_index:
        settings = tune_index(limits[Corpus.UNIT])
        branches[Corpus.UNIT] = write_indexed_branch(scope, limits[Corpus.UNIT], vector.size)
    statement = " UNION ALL ".join([*branches.values(), STATE])
    values = (*list_owners(bank), write_vector(vector), name_index(bank.id))
    rows = read_rows(bank.tenant_id, statement, values, within_seconds=within_seconds, settings=settings)
    return sort_out(bank, rows)


def sort_out(bank: Bank, rows: Iterable[Row]) -> Nearest:
    found: dict[Corpus, list[CorpusHit]] = {}
    for name, row_id, number, distance in rows:
        if name == "index":
            KNOWN_INDEXES.note(bank, is_there=bool(distance))
        elif distance is not None:  # no vector yet
            corpus = CORPORA[name]
            found.setdefault(corpus, []).append(CorpusHit(corpus, row_id, min(1.0, 1.0 - distance), number))
    return Nearest({corpus: tuple(sorted(hits, key=by_score)) for corpus, hits in found.items()})


def write_branch(corpus: Corpus, scope: Scope, limit: int) -> str:
    return NEAREST.format(row=corpus.value, table=TABLES[corpus], condition=scope.of(corpus), limit=limit)


def by_score(hit: CorpusHit) -> tuple[float, UUID]:
    return -hit.score, hit.id
