from datetime import datetime

from memoryplatform_client.models.base import Model


class Background(Model):
    background: str
    revision: int


class BackgroundMerged(Background):
    changed: bool
    engine: str


class BackgroundRevision(Model):
    number: int
    before: str
    after: str
    snippet: str
    engine: str
    actor: str
    created_at: datetime
