from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class RetentionRule(Model):
    """Send `etag` with an edit: the service refuses it if the rule has changed since. Rows of a list have none."""

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


class MaintenanceStarted(Model):
    operation_id: UUID


Tended = MaintenanceStarted  # deprecated name
