from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class StoredMessage(Model):
    id: UUID
    thread: str
    role: str
    name: str
    actor: str
    content: str
    timestamp: datetime
    episode_id: UUID | None
    recorded_at: datetime
    extracted_at: datetime | None
