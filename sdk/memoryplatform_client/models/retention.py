from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class RetentionRule(Model):
    id: UUID
    name: str
    network: str
    tag: str
    days: int
    action: str
    enabled: bool
    matches: int
    applied_at: datetime | None
    created_at: datetime


class Tended(Model):
    operation_id: UUID
