from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model


class Webhook(Model):
    """`bank_id`: None for the events of every bank. Send `etag` with an edit; rows of a list have none.

    `disabled_at`: the service disabled it after 3 days of failures. `update(webhook_id, enabled=True)` enables it.
    """

    webhook_id: UUID
    name: str
    url: str
    events: list[str]
    bank_id: str | None
    enabled: bool
    failing_since: datetime | None
    disabled_at: datetime | None
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
