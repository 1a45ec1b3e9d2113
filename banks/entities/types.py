"""The values that pass between the steps of entity resolution."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from banks.enums import EntityKind
from banks.types import FoundEntity

Verdict = Literal["same", "new", "ask"]


@dataclass(frozen=True)
class MentionOf:
    """A name in a fact. `companions` are the other names in the fact, which mean other entities."""

    name: str
    kind: EntityKind
    companions: frozenset[str]
    seen_at: datetime
    kind_is_guess: bool = False
    kind_is_stated: bool = False  # OTHER is then a kind, not a gap
    speakers: frozenset[str] = frozenset()  # they are companions of every name, so they are no evidence
    type: str = ""  # one of the bank's own entity types


@dataclass(frozen=True)
class Candidate:
    """A known entity, with the fields that resolution needs."""

    id: UUID
    canonical_name: str
    aliases: tuple[str, ...]
    kind: EntityKind
    companions: Mapping[str, int]  # names of entities in the same facts, and the number of these facts
    last_seen_at: datetime
    mention_count: int
    is_speaker: bool
    kind_is_stated: bool = False


@dataclass(frozen=True)
class Likeness:
    """How likely two names mean the same thing, 0..1, and the rule behind the value.

    A veto is stronger than any evidence: the names contradict each other.
    """

    value: float
    rule: str
    veto: str | None = None


@dataclass(frozen=True)
class Score:
    """Formula 2 of the paper, and the value of the names alone. A veto makes the total 0."""

    total: float
    string: float
    rule: str = ""
    veto: str | None = None


@dataclass(frozen=True)
class Decision:
    """`ask` names the candidate for a question to an LLM. Without an LLM it means a new entity."""

    entity_id: UUID | None
    score: Score | None
    verdict: Verdict
    same_as: int | None = None  # of resolve_all: the place of the mention in the call that means the same entity


@dataclass(frozen=True)
class Naming:
    """The entities that one unit names. `beside` are its names whose entities are known."""

    unit_id: UUID
    entities: tuple[FoundEntity, ...]
    seen_at: datetime
    speakers: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Resolved:
    """A mention with its entity."""

    naming: Naming
    name: str
    kind: EntityKind
    entity_id: UUID
