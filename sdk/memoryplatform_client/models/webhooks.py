from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model


class Webhook(Model):
    """`bank_id`: None for the events of every bank. Send `etag` with an edit; rows of a list have none."""

    webhook_id: UUID
    name: str
    url: str
    events: list[str]
    bank_id: str | None
    enabled: bool
    created_at: datetime
    updated_at: datetime
    etag: str = ""


class WebhookWithSecret(Webhook):
    """`secret` is shown only this once."""

    secret: str


class Delivery(Model):
    delivery_id: UUID
    event_id: UUID
    event: str
    bank_id: str | None
    data: Any
    status: str
    attempts: int
    answer_code: int | None
    error: str
    created_at: datetime
    attempted_at: datetime | None
    next_attempt_at: datetime | None
