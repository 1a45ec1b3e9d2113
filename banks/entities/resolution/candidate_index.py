"""Finds the few candidates worth scoring among many, in memory, by the keys that the database would use."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from banks.entities.names.normalise import index_keys
from banks.entities.types import Candidate, MentionOf

_SPECIAL_WEIGHT = 20  # a shared nickname or acronym outranks shared letters


class CandidateIndex:
    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self._candidates: dict[str, Candidate] = {}
        self._places: defaultdict[str, set[str]] = defaultdict(set)
        for candidate in candidates:
            self.put(candidate)

    def put(self, candidate: Candidate) -> None:
        """Adds it, or replaces the one with its id. Keys of a name that it no longer has stay: they only cost time."""
        place = str(candidate.id)
        before = self._candidates.get(place)
        self._candidates[place] = candidate
        for name in names_of(candidate) - (names_of(before) if before else frozenset()):
            for key in index_keys(name):
                self._places[key].add(place)

    def nearest(self, mention: MentionOf, *, limit: int) -> list[Candidate]:
        """Those that share most keys, ties by id, so that the answer does not depend on the order of insertion."""
        shared: Counter[str] = Counter()
        for key in index_keys(mention.name):
            weight = _SPECIAL_WEIGHT if key.startswith("=") else 1
            for place in self._places.get(key, ()):
                shared[place] += weight
        ranked = sorted(shared.items(), key=lambda item: (-item[1], item[0]))
        return [self._candidates[place] for place, _ in ranked[:limit]]


def names_of(candidate: Candidate) -> frozenset[str]:
    return frozenset({candidate.canonical_name, *candidate.aliases})
