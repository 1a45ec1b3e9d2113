from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model


class AuditEvent(Model):
    event_id: UUID
    at: datetime
    action: str
    target: str
    bank_id: str | None
    api_key_prefix: str
    user_id: UUID | None
    user_email: str | None
    request_id: str
    address: str | None
    detail: Any
