from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.retain.relationships.relations import Beside, Ending, Staying, name_relation
from banks.retain.types import FoundRelationship
from providers.embedding.vector import Vector

Key = tuple[UUID, str, UUID | None, str]


@dataclass(frozen=True, eq=False)
class Told:
    """A relationship with its entities, as one unit tells it."""

    unit_id: UUID
    found: FoundRelationship
    vector: Vector
    subject_id: UUID
    object_id: UUID | None
    mentioned_at: datetime

    @property
    def key(self) -> Key:
        return (
            self.subject_id,
            name_relation(self.found.relation)[:100],
            self.object_id,
            "" if self.object_id else self.found.object[:500],
        )

    @property
    def since(self) -> datetime:
        """From when it holds, as far as we can tell: since it was said, at the latest."""
        return self.found.valid_from or self.mentioned_at


@dataclass(frozen=True)
class News:
    relationship_id: UUID
    told: Told

    @property
    def is_ending(self) -> bool:
        return isinstance(self.told.found, Ending)

    @property
    def is_no_news(self) -> bool:
        """It ends no other value of its relation."""
        return is_no_news(self.told)


def is_no_news(told: Told) -> bool:
    return isinstance(told.found, Beside | Staying)
