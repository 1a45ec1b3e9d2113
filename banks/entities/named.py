"""Names on their way into the tables."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.retain.types import FoundEntity
from banks.words import EntityKind


@dataclass(frozen=True)
class Naming:
    """The entities that one unit names; `beside` are names in it whose entities are known."""

    unit_id: UUID
    entities: tuple[FoundEntity, ...]
    seen_at: datetime
    speakers: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Resolved:
    """A mention with the entity that it turned out to be."""

    naming: Naming
    name: str
    kind: EntityKind
    entity_id: UUID
