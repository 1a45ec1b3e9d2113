from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model


class Finding(Model):
    """Characters `start` to `end` of a field of the item."""

    field: str
    family: str
    kind: str
    start: int
    end: int


class FieldText(Model):
    field: str
    text: str


class QuarantinedItem(Model):
    """An item of a retain that waits for a review."""

    id: UUID
    findings: list[Finding]
    texts: list[FieldText]
    api_key_prefix: str
    created_at: datetime


class Released(Model):
    operation_id: UUID
    status: str
