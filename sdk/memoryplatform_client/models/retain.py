from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from pydantic import Field

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.operations import OperationDetail, TokenUsage


class ItemFieldFault(Model):
    field: str
    message: str
    code: str


class ItemFault(Model):
    index: int
    accepted: bool
    faults: list[ItemFieldFault]


class TriedEntity(Model):
    """`type`: one of the bank's own `entity_types`; empty without one."""

    name: str
    kind: str
    type: str


class TriedRelation(Model):
    subject: str
    relation: str
    object: str
    object_is_value: bool
    text: str
    valid_from: datetime | None
    valid_until: datetime | None


class TriedCause(Model):
    """`target`: the index of the other fact of the item, from 0."""

    target: int
    relation_type: str
    strength: float


class TriedFact(Model):
    """`outcome`: add, merge, update or repeat. `targets` are the memories that it merges with, ends or repeats."""

    text: str
    type: str
    kind: str
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    entities: list[TriedEntity]
    relations: list[TriedRelation]
    causes: list[TriedCause]
    categories: list[str]
    confidence: float | None
    sources: list[str]
    outcome: str
    targets: list[UUID]


class TriedItem(Model):
    facts: list[TriedFact]
    errors: list[str]
    notes: list[str]


class DryRun(Model):
    """The facts that a retain would store. `items` has one entry for each accepted item."""

    dry_run: bool
    bank_id: str
    engine: str
    items: list[TriedItem]
    item_errors: list[ItemFault]
    usage: TokenUsage


class MemoryChange(Model):
    """`change`: ended, scheduled (it will end on a known date), corrected or merged."""

    memory_id: UUID
    change: str
    superseded_by: UUID | None


class Retained(Model):
    """`changes` are the first 100 known memories that the call changed."""

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
    changes: list[MemoryChange] = Field(default_factory=list)
    change_count: int = 0
    usage: TokenUsage | None
    is_async: bool = Field(alias="async")

    def ended_as(self, operation: OperationDetail, result: Mapping[str, Any]) -> Self:
        """The response that the service would have given if it had waited for the operation."""
        reasons = [operation.error.detail] if operation.error else []
        told = self.model_dump(by_alias=True) | {
            "success": operation.status != "failed",
            "status": operation.status,
            "async": False,
            "unit_ids": result.get("unit_ids", []),
            "errors": result.get("errors", reasons),
            "notes": result.get("notes", []),
            "changes": result.get("changes", []),
            "change_count": result.get("change_count", 0),
            "usage": operation.usage.model_dump() if operation.usage else None,
        }
        return type(self).model_validate(told)
