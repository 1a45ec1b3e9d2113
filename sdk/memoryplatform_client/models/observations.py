from datetime import datetime
from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model


class Observation(Model):
    id: UUID
    text: str
    entity_id: UUID | None = None
    entity: str | None = None
    is_stale: bool
    source_ids: list[UUID]
    episode_ids: list[UUID] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    mentioned_at: datetime
    created_at: datetime


class ObservationsRefreshed(Model):
    operation_id: UUID | None
