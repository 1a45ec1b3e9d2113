from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Relationship(Model):
    id: UUID
    subject_id: UUID
    relation: str
    object_id: UUID | None
    value: str
    text: str
    proof_count: int
    mentioned_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    recorded_at: datetime
    expired_at: datetime | None
    close_reason: str
    superseded_by: UUID | None


class FoundRelationship(Relationship):
    score: float | None
    cosine: float | None
    bm25: float | None
