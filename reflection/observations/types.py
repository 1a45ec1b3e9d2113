from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from banks.lifecycle.observed_spans import AnnouncedEnd
from providers.usage import Usage


@dataclass(frozen=True)
class Fact:
    """A memory of the world or of an experience that speaks of the entity.

    `begins`: it is not so yet, only from then on. `is_over`: something that it tells beside other things has ended.
    """

    id: UUID
    text: str
    said_at: datetime
    occurred_start: datetime | None = None
    proof_count: int = 1
    begins: datetime | None = None
    is_over: bool = False


@dataclass(frozen=True)
class Held:
    """A relationship of the entity that holds, now or once it `begins`, until its `end` if one is announced: as a
    sentence, with the facts that tell it, and when that was last said.
    """

    text: str
    source_ids: tuple[UUID, ...]
    begins: datetime | None = None
    end: AnnouncedEnd | None = None
    said_at: datetime | None = None


@dataclass(frozen=True)
class Observation:
    """`end` is known beside those of its facts."""

    text: str
    source_ids: tuple[UUID, ...]
    end: AnnouncedEnd | None = None


@dataclass(frozen=True)
class Dossier:
    """All that an observer sees: `facts` are what `known` does not tell yet, or everything where `known` is empty."""

    entity_id: UUID
    name: str
    facts: tuple[Fact, ...] = ()
    known: tuple[Observation, ...] = ()
    held: tuple[Held, ...] = ()
    fact_count: int = 0


@dataclass(frozen=True)
class Observed:
    observations: tuple[Observation, ...]
    usage: Usage = field(default_factory=Usage)


class Observer(Protocol):
    @property
    def name(self) -> str:
        """Stands in the history."""
        ...

    @property
    def facts_at_once(self) -> int:
        """How many facts one call may hold: a large entity is read in several."""
        ...

    def observe(self, dossier: Dossier) -> Observed:
        """All observations that the entity has from now on. Call outside of transactions."""
        ...
