"""Whose words answer a query: a question about somebody is mostly answered by what that one said."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from banks.entities.names.normalise import normalise_name
from retrieval.types import Candidate

# "Can you recommend..." asks for a service, not for what the assistant said.
REQUEST = re.compile(r"\b(?:can|could|would|will|do) you\b|\bthank you\b", re.IGNORECASE)
YOU = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
ME = re.compile(r"\b(?:i|i'm|i've|i'd|my|mine|me)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """A speaker by name, or a role; neither where the query tells nothing. What nobody said, a fact or a document, is
    nobody else's words. Who is `about`, called by an alias: what tells of them, whoever said it, for only that has the
    name that memories know.
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


def find_whose_words(
    query: str, names: Iterable[str], candidates: Sequence[Candidate], others: Sequence[str] = ()
) -> Wanted:
    """`names` are the query's possible names, normalised, and `others` those of whom it calls by an alias.

    Two speakers who are both named cancel each other out.
    """
    about = frozenset(others)
    speakers = {normalise_name(voice.name) for candidate in candidates for voice in candidate.voices}
    named = speakers.intersection([*names, *map(normalise_name, others)])
    if named:
        return Wanted(speaker=named.pop() if len(named) == 1 else "", about=about)
    if YOU.search(REQUEST.sub("", query)):
        return Wanted(role="assistant", about=about)
    return Wanted(role="user" if ME.search(query) else "", about=about)
