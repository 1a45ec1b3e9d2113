from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class RetentionRule(Model):
    """`etag` goes with an edit, which is then refused where somebody else edited it since. Rows of a list have none."""

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
    etag: str = ""


class Tended(Model):
    operation_id: UUID
