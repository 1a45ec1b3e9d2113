"""The values that pass between the steps of entity resolution."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from banks.words import EntityKind

Verdict = Literal["same", "new", "ask"]


@dataclass(frozen=True)
class MentionOf:
    """A name in a fact. `companions` are the other names of that fact: they are held to be other entities."""

    name: str
    kind: EntityKind
    companions: frozenset[str]
    seen_at: datetime
    kind_is_guess: bool = False
    kind_is_stated: bool = False  # somebody who knows said so, which makes OTHER a kind and not a gap


@dataclass(frozen=True)
class Candidate:
    """An entity that the bank has, as far as telling it from others needs it."""

    id: UUID
    canonical_name: str
    aliases: tuple[str, ...]
    kind: EntityKind
    companions: Mapping[str, int]  # the names of entities that it shares facts with, and how many facts
    last_seen_at: datetime
    mention_count: int
    is_speaker: bool
    kind_is_stated: bool = False


@dataclass(frozen=True)
class Likeness:
    """How far two names can be names of one thing, 0..1, and the rule that said so.

    A veto is stronger than any evidence: the names contradict each other.
    """

    value: float
    rule: str
    veto: str | None = None


@dataclass(frozen=True)
class Score:
    """Formula 2 of the paper, and what the names alone say. A veto makes the total 0."""

    total: float
    string: float
    rule: str = ""
    veto: str | None = None


@dataclass(frozen=True)
class Decision:
    """`ask` names the candidate that an LLM should be asked about; where there is no LLM it means a new entity."""

    entity_id: UUID | None
    score: Score | None
    verdict: Verdict
    same_as: int | None = None  # resolve_all: the place of the mention in the call that this one is another name of
