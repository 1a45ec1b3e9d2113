"""Look-ups in one bank that several channels share, each done once."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Generic, TypeVar
from uuid import UUID

from banks.models import Bank, Corpus
from providers.deadline import Deadline
from providers.embedding.vector import Vector
from retrieval.channels.archive import Resolved, Sources, Unresolved, resolve, resolve_units, score_sources
from retrieval.channels.keyword import RankedWords
from retrieval.channels.semantic import Nearest, find_best, find_nearest
from retrieval.errors import NoVector
from retrieval.filters.scope import Scope
from retrieval.statements import Limits
from retrieval.threads import Outcome, attempt, wait
from retrieval.types import Analysis, CorpusHit

T = TypeVar("T")


@dataclass(frozen=True)
class BankQuery:
    """A query to one bank. `vector` is empty if the bank has vectors of another model. `archive` are the corpora whose
    rows are followed to their units.
    """

    bank: Bank
    analysis: Analysis
    vector: Vector
    scope: Scope
    limits: Limits
    archive: tuple[Corpus, ...]
    deadline: Deadline


class Step(Generic[T]):
    """Runs once, on the thread that needs it first. Every caller gets its value or its error."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._lock = Lock()
        self._outcome: Outcome[T] | None = None

    def __call__(self) -> T:
        with self._lock:
            if self._outcome is None:
                self._outcome = attempt(self._work)
            return self._outcome.get()


class Lookups:
    """The running statements of one bank, and the values that follow from them. Each raises its statement's error.

    If words or vectors fail, the others are resolved alone: a search by words needs no vector. If a statement fails
    that reads more than the units, the units are looked up alone. A part of the archive that failed is not read again.
    """

    def __init__(
        self,
        query: BankQuery,
        nearest: "Mapping[Corpus, Future[Outcome[Nearest]]]",
        words: "Future[Outcome[RankedWords]]",
    ) -> None:
        self.query = query
        self._nearest = nearest
        self._words = words
        self.nearest_units = Step(self._find_units)
        self.sources = Step(self._score_sources)
        self.resolved = Step(self._resolve)
        self.visible_units = Step(self._resolve_units)

    def nearest(self, corpus: Corpus) -> tuple[CorpusHit, ...]:
        """For the corpora of the archive."""
        return self._wait(self._nearest[corpus]).of(corpus)

    def check_archive(self, *corpora: Corpus) -> None:
        """Raises the error of their look-up by meaning. A missing vector is none: the words remain."""
        for corpus in corpora:
            error = attempt(partial(self.nearest, corpus)).error if corpus in self._nearest else None
            if error is not None and not isinstance(error, NoVector):
                raise error

    def words(self) -> RankedWords:
        return self._wait(self._words)

    def _wait(self, future: "Future[Outcome[T]]") -> T:
        return wait(future, seconds=self.query.deadline.patience()).get()

    def _find_units(self) -> tuple[CorpusHit, ...]:
        own = self._nearest[Corpus.UNIT]
        found = attempt(partial(self._wait, own))
        is_shared = any(other is own for corpus, other in self._nearest.items() if corpus != Corpus.UNIT)
        if found.error is not None and is_shared and not isinstance(found.error, NoVector):
            found = attempt(self._find_units_alone)
        return found.get().of(Corpus.UNIT)

    def _find_units_alone(self) -> Nearest:
        query = self.query
        limits, seconds = {Corpus.UNIT: query.limits.rows}, query.deadline.next_share()
        return find_nearest(query.bank, query.vector, query.scope, limits=limits, within_seconds=seconds)

    def _score_sources(self) -> Sources:
        archive = [corpus for corpus in self.query.archive if corpus in self._nearest]
        near = {corpus: attempt(partial(self.nearest, corpus)).value or () for corpus in archive}
        words = attempt(self.words).value or {}
        units = (attempt(self.nearest_units).value or ()) if Corpus.UNIT in self._nearest else ()
        best = find_best(units, near.get(Corpus.CHUNK, ()))
        return score_sources(Nearest(near), words, self.query.limits.sources, best=best)

    def _resolve(self) -> Resolved:
        query = self.query
        archive = tuple(one for one in query.archive if attempt(partial(self.check_archive, one)).error is None)
        wanted = Unresolved(self._list_numbers(), archive, self.sources().keys, query.analysis.names)
        return resolve(query.bank, query.vector, query.scope, wanted, within_seconds=query.deadline.next_share())

    def _resolve_units(self) -> Mapping[int, UUID]:
        resolved = attempt(self.resolved)
        if resolved.error is None:
            return resolved.get().units
        query = self.query
        seconds = query.deadline.next_share()
        return resolve_units(query.bank, query.scope, self._list_numbers(), within_seconds=seconds).units

    def _list_numbers(self) -> list[int]:
        return [text.number for text in (attempt(self.words).value or {}).get(Corpus.UNIT, ())]
