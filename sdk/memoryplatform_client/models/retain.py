from collections.abc import Mapping
from typing import Any, Self
from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.operations import Operation


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
    quarantined: list[UUID] = Field(default_factory=list)
    usage: RetainUsage | None
    is_async: bool = Field(alias="async")

    def ended_as(self, operation: Operation, result: Mapping[str, Any]) -> Self:
        """The response that the service would have given if it had waited for the operation."""
        reasons = [operation.error.detail] if operation.error else []
        told = self.model_dump(by_alias=True) | {
            "success": operation.status != "failed",
            "status": operation.status,
            "async": False,
            "unit_ids": result.get("unit_ids", []),
            "errors": result.get("errors", reasons),
            "notes": result.get("notes", []),
            "usage": result.get("usage"),
        }
        return type(self).model_validate(told)
