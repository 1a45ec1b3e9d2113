from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.messages import StoredMessage


class Episode(Model):
    id: UUID
    thread: str
    narrative: str
    previous_id: UUID | None
    message_count: int
    started_at: datetime
    ended_at: datetime


class FoundEpisode(Episode):
    score: float | None
    cosine: float | None
    bm25: float | None


class EpisodeDetail(Episode):
    messages: list[StoredMessage]
