"""Speaker match: a question about a person is mostly answered by that person's words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from math import ceil

from banks.entities.names.normalise import normalise_name
from retrieval.types import Candidate, NamedEntity, Ranked

# "Can you recommend ..." asks for a service, not for the assistant's words.
REQUEST = re.compile(r"\b(?:can|could|would|will|do) you\b|\bthank you\b", re.IGNORECASE)
YOU = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
ME = re.compile(r"\b(?:i|i'm|i've|i'd|my|mine|me)\b", re.IGNORECASE)
MOST_ALIASED = 2  # an alias that more entities share identifies none
FROM_CHANNELS = 0.25  # the share of the reranker's candidates that the speaker does not decide


@dataclass(frozen=True)
class SpeakerMatch:
    """The speaker that a query is about, by name or by role; neither if the words do not say.

    A fact or a document without a speaker matches too. `about` are the canonical names of entities that the query calls
    by an alias: a unit that mentions one matches, whoever said it.
    """

    speaker: str = ""
    role: str = ""
    about: frozenset[str] = frozenset()

    def covers(self, candidate: Candidate) -> bool:
        if not self.about.isdisjoint(candidate.entities):
            return True
        if not (self.speaker or self.role):
            return False
        if self.speaker:
            is_wanted = any(normalise_name(voice.name) == self.speaker for voice in candidate.voices)
        else:
            is_wanted = any(voice.role == self.role for voice in candidate.voices)
        return is_wanted or not candidate.voices


def match_speaker(
    query: str, names: Iterable[str], candidates: Sequence[Candidate], aliased: Sequence[str] = ()
) -> SpeakerMatch:
    """`names` are the normalised name candidates of the query, `aliased` the entities that it calls by an alias.

    If the query names two speakers, neither counts.
    """
    about = frozenset(aliased)
    speakers = {normalise_name(voice.name) for candidate in candidates for voice in candidate.voices}
    named = speakers.intersection([*names, *map(normalise_name, aliased)])
    if named:
        return SpeakerMatch(speaker=named.pop() if len(named) == 1 else "", about=about)
    if YOU.search(REQUEST.sub("", query)):
        return SpeakerMatch(role="assistant", about=about)
    return SpeakerMatch(role="user" if ME.search(query) else "", about=about)


def find_aliased(names: Iterable[str], entities: Iterable[NamedEntity]) -> tuple[str, ...]:
    """Canonical names of entities that the query calls by an alias: "Sparrow" for Robert Chen.

    A part of the canonical name is no alias: the memories have it too.
    """
    said = {word for name in names for word in name.split()}
    others = dict.fromkeys(one.name for one in entities if said.isdisjoint(normalise_name(one.name).split()))
    return tuple(others) if len(others) <= MOST_ALIASED else ()


def write_aliased(text: str, aliased: Sequence[str]) -> str:
    """For the reranker, which does not know the alias: "Where does Sparrow live? (Robert Chen)"."""
    return " ".join([text, *(f"({name})" for name in aliased)])


def favour_speaker(ranked: Sequence[Ranked], match: SpeakerMatch, *, factor: float, depth: int) -> list[Ranked]:
    """The order by score, times `factor` for the matching speaker. The reranker reads the first `depth`.

    A quarter of those are the best of the channels, whoever said them: otherwise a talkative speaker would crowd out
    what others know of that person.
    """
    favoured = [
        one.with_scores(one.scores._replace(speaker=factor)) if match.covers(one.candidate) else one for one in ranked
    ]
    ordered = sorted(favoured, key=lambda one: -one.scores.found * one.scores.speaker)
    first = list(alternate(ordered[:depth], favoured[: ceil(depth * FROM_CHANNELS)]))[:depth]
    taken = {id(one) for one in first}
    return [*first, *(one for one in ordered if id(one) not in taken)]


def alternate(*lists: Sequence[Ranked]) -> Iterator[Ranked]:
    """One of each list in turn, none twice."""
    taken: set[int] = set()
    for one in chain.from_iterable(zip_longest(*lists)):
        if one is not None and id(one) not in taken:
            taken.add(id(one))
            yield one
