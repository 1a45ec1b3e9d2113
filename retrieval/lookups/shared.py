"""What several channels need, looked up once for all of them."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock

from banks.models import Bank, Corpus
from providers.embedding.vector import Vector
from retrieval.filters.scope import Scope
from retrieval.limits import Limits
from retrieval.lookups.nearest import Nearest
from retrieval.lookups.resolving import Resolved, Wanted, resolve
from retrieval.lookups.sources import Sources, score_sources
from retrieval.lookups.words import RankedWords
from retrieval.outcome import Outcome, attempt, wait
from retrieval.types import CorpusHit


@dataclass(frozen=True)
class Asked:
    """What is looked for, and where."""

    bank: Bank
    vector: Vector
    names: tuple[str, ...]
    scope: Scope
    limits: Limits


@dataclass(eq=False)
class Lookups:
    """What is under way, and what follows from it. Each raises what its statement raised.

    Where words or vectors failed, the others are resolved alone: a search by words needs no vector. The first of the
    `_nearest` has the units.
    """

    asked: Asked
    _nearest: "Sequence[Future[Outcome[Nearest]]]"
    _words: "Future[Outcome[RankedWords]]"
    _resolved: list[Outcome[Resolved]] = field(default_factory=list)
    _sources: list[Sources] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def nearest(self) -> Nearest:
        found = [wait(one, seconds=self.asked.limits.seconds).get() for one in self._nearest]
        return Nearest({corpus: hits for one in found for corpus, hits in one.hits.items()})

    def nearest_units(self) -> tuple[CorpusHit, ...]:
        return wait(self._nearest[0], seconds=self.asked.limits.seconds).get().of(Corpus.UNIT)

    def words(self) -> RankedWords:
        return wait(self._words, seconds=self.asked.limits.seconds).get()

    def sources(self) -> Sources:
        if not self._sources:
            nearest = attempt(self.nearest).value or Nearest({})
            words = attempt(self.words).value or {}
            self._sources.append(score_sources(nearest, words, self.asked.limits.sources))
        return self._sources[0]

    def resolved(self) -> Resolved:
        with self._lock:
            if not self._resolved:
                self._resolved.append(attempt(self._resolve))
            return self._resolved[0].get()

    def _resolve(self) -> Resolved:
        asked = self.asked
        ranked = (attempt(self.words).value or {}).get(Corpus.UNIT, ())
        wanted = Wanted([text.number for text in ranked], self.sources().names, asked.names)
        return resolve(asked.bank, asked.vector, asked.scope, wanted, within_seconds=asked.limits.seconds)
