from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.relationships import Relationship


class NamedEntity(Model):
    id: UUID
    canonical_name: str
    kind: str


class EntityMemory(Model):
    id: UUID
    text: str
    type: str
    mentioned_at: datetime


class Entity(NamedEntity):
    """`type`: one of the bank's own `entity_types`; empty without one."""

    type: str
    is_speaker: bool
    mention_count: int
    first_seen: datetime | None
    last_seen: datetime | None


class EntityDetail(Entity):
    """Send `etag` with an edit: the service refuses the edit if the entity has changed since."""

    aliases: list[str]
    summary: str
    attributes: Any
    memories: list[EntityMemory]
    observations: list[EntityMemory]
    relationships: list[Relationship]
    etag: str = ""
