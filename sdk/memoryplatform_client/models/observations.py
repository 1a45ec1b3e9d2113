from datetime import datetime
from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model


class ObservedEntity(Model):
    id: UUID
    name: str


class Observation(Model):
    id: UUID
    text: str
    entity_id: UUID | None = None
    entity: str | None = None
    entities: list[ObservedEntity] = Field(default_factory=list)
    is_stale: bool
    source_ids: list[UUID]
    episode_ids: list[UUID] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    mentioned_at: datetime
    created_at: datetime
    valid_from: datetime | None = None
    valid_until: datetime | None = None


class ObservationsRefreshed(Model):
    operation_id: UUID | None
    engine: str = ""
