from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Feedback(Model):
    id: UUID
    recall_id: UUID
    memory_id: UUID
    useful: bool
    comment: str
    rank: int
    marked_by: str
    created_at: datetime
    updated_at: datetime
