"""What several channels need, looked up once for all of them."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Generic, TypeVar
from uuid import UUID

from banks.dates import TimeWindow
from banks.models import Bank, Corpus
from providers.embedding.vector import Vector
from retrieval.deadline import Deadline
from retrieval.filters.scope import Scope
from retrieval.limits import Limits
from retrieval.lookups.floor import find_best
from retrieval.lookups.nearest import Nearest, NoVector, find_nearest
from retrieval.lookups.resolving import Resolved, Wanted, resolve, resolve_units
from retrieval.lookups.sources import Sources, score_sources
from retrieval.lookups.words import RankedWords
from retrieval.outcome import Outcome, attempt, wait
from retrieval.query.kin import Kin
from retrieval.types import CorpusHit, GraphWalk

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """What is looked for in one bank. `archive` are the corpora that are followed to their units. `is_of_whole_time`:
    whatever lies in the window.
    """

    bank: Bank
    vector: Vector
    names: tuple[str, ...]
    kin: Kin | None
    window: TimeWindow | None
    is_of_whole_time: bool
    scope: Scope
    limits: Limits
    archive: tuple[Corpus, ...]
    graph_walk: GraphWalk
    deadline: Deadline


class Step(Generic[T]):
    """Done by whoever needs it first, in whichever thread, and once: what it gave or raised is for all."""

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
    """What is under way, and what follows from it: all that a channel needs. Each raises what its statement raised.

    Where words or vectors failed, the others are resolved alone: a search by words needs no vector. Where a statement
    failed that had more than the units, these are looked up alone: what kept it may be nothing of theirs. A part of the
    archive that failed once is not asked for again.
    """

    def __init__(
        self,
        asked: Asked,
        nearest: "Mapping[Corpus, Future[Outcome[Nearest]]]",
        words: "Future[Outcome[RankedWords]]",
    ) -> None:
        self.asked = asked
        self._nearest = nearest
        self._words = words
        self.nearest_units = Step(self._find_units)
        self.sources = Step(self._score_sources)
        self.resolved = Step(self._resolve)
        self.visible_units = Step(self._resolve_units)

    def nearest(self, corpus: Corpus) -> tuple[CorpusHit, ...]:
        """Of the archive."""
        return self._wait(self._nearest[corpus]).of(corpus)

    def check_archive(self, *corpora: Corpus) -> None:
        """Raises what its look-up by meaning died of; that there is no vector leaves the words."""
        for corpus in corpora:
            error = attempt(partial(self.nearest, corpus)).error if corpus in self._nearest else None
            if error is not None and not isinstance(error, NoVector):
                raise error

    def words(self) -> RankedWords:
        return self._wait(self._words)

    def _wait(self, future: "Future[Outcome[T]]") -> T:
        return wait(future, seconds=self.asked.deadline.patience()).get()

    def _find_units(self) -> tuple[CorpusHit, ...]:
        own = self._nearest[Corpus.UNIT]
        found = attempt(partial(self._wait, own))
        is_shared = any(other is own for corpus, other in self._nearest.items() if corpus != Corpus.UNIT)
        if found.error is not None and is_shared and not isinstance(found.error, NoVector):
            found = attempt(self._find_units_alone)
        return found.get().of(Corpus.UNIT)

    def _find_units_alone(self) -> Nearest:
        asked = self.asked
        limits, seconds = {Corpus.UNIT: asked.limits.rows}, asked.deadline.next_share()
        return find_nearest(asked.bank, asked.vector, asked.scope, limits=limits, within_seconds=seconds)

    def _score_sources(self) -> Sources:
        archive = [corpus for corpus in self.asked.archive if corpus in self._nearest]
        near = {corpus: attempt(partial(self.nearest, corpus)).value or () for corpus in archive}
        words = attempt(self.words).value or {}
        units = (attempt(self.nearest_units).value or ()) if Corpus.UNIT in self._nearest else ()
        best = find_best(units, near.get(Corpus.CHUNK, ()))
        return score_sources(Nearest(near), words, self.asked.limits.sources, best=best)

    def _resolve(self) -> Resolved:
        asked = self.asked
        archive = tuple(one for one in asked.archive if attempt(partial(self.check_archive, one)).error is None)
        wanted = Wanted(self._list_numbers(), archive, self.sources().names, asked.names, asked.kin)
        return resolve(asked.bank, asked.vector, asked.scope, wanted, within_seconds=asked.deadline.next_share())

    def _resolve_units(self) -> Mapping[int, UUID]:
        """By their numbers."""
        resolved = attempt(self.resolved)
        if resolved.error is None:
            return resolved.get().units
        asked = self.asked
        seconds = asked.deadline.next_share()
        return resolve_units(asked.bank, asked.scope, self._list_numbers(), within_seconds=seconds).units

    def _list_numbers(self) -> list[int]:
        return [text.number for text in (attempt(self.words).value or {}).get(Corpus.UNIT, ())]
