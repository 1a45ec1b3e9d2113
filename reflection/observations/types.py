"""The values of a refresh, and the observer that writes observations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from providers.llm.errors import LLMError
from providers.usage import Usage


@dataclass(frozen=True)
class Fact:
    """A current fact that mentions the entity. `begins` is set where the fact becomes true only on a future date."""

    id: UUID
    text: str
    said_at: datetime
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    proof_count: int = 1
    begins: datetime | None = None


@dataclass(frozen=True)
class Observation:
    """`unit_id` is the stored observation that this one keeps or rewords; None for a new one."""

    text: str
    source_ids: tuple[UUID, ...]
    unit_id: UUID | None = None


@dataclass(frozen=True)
class Dossier:
    """Everything that an observer sees: the present observations, and the facts that they do not cover.

    `fact_count` counts all facts. `has_fallen`: an observation fell because one of its facts ended.
    """

    name: str
    facts: tuple[Fact, ...] = ()
    known: tuple[Observation, ...] = ()
    fact_count: int = 0
    has_fallen: bool = False


@dataclass(frozen=True)
class Observed:
    """The observations, or the failure that the content of the dossier caused."""

    observations: tuple[Observation, ...] = ()
    usage: Usage = field(default_factory=Usage)
    failure: LLMError | None = None


class Observer(Protocol):
    @property
    def name(self) -> str:
        """The actor in the history of the observations."""
        ...

    @property
    def facts_at_once(self) -> int:
        """How many facts one call may hold. A large entity takes several calls."""
        ...

    def observe(self, dossier: Dossier) -> Observed:
        """All observations that the entity has from now on. Call outside of transactions."""
        ...


class JointObserver(Observer, Protocol):
    def observe_together(self, dossiers: Sequence[Dossier]) -> tuple[list[tuple[Observation, ...]], Usage]:
        """The same for several entities in one call. Empty where the entity has to be observed by itself."""
        ...
