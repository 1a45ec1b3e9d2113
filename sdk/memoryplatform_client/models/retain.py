from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model


class ItemFieldFault(Model):
    field: str
    message: str
    code: str


class ItemFault(Model):
    index: int
    accepted: bool
    faults: list[ItemFieldFault]


class RetainUsage(Model):
    input_tokens: int
    output_tokens: int
    calls: int


class Retained(Model):
    success: bool
    bank_id: str
    items_count: int
    item_errors: list[ItemFault]
    operation_id: UUID
    status: str
    unit_ids: list[UUID]
    errors: list[str]
    notes: list[str]
    usage: RetainUsage | None
    is_async: bool = Field(alias="async")
