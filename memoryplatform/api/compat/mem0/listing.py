"""The memories that a condition means, and the page of them that is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from banks.models import Bank, MemoryUnit
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.mem0.asking import read_asked, without_expired
from memoryplatform.api.compat.mem0.filters.conditions import Condition
from memoryplatform.api.compat.mem0.memory_shapes import describe_memory, pick_fields
from memoryplatform.api.compat.mem0.pages import PageWanted
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units
from tenants.transactions import tenant_transaction


class ShownInput(serializers.Serializer[Any]):
    show_expired = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        """`fields` is DRF's own name, so it can't be written as an attribute."""
        names = serializers.ListField(child=serializers.CharField(), required=False, default=list)
        return super().get_fields() | {"fields": names}


@dataclass(frozen=True)
class ListWanted:
    condition: Condition
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Listed:
    count: int
    results: list[dict[str, Any]]


def read_list(given: Any, *, flat_ids: bool) -> ListWanted:
    shown = read_body(ShownInput, given).validated_data
    condition = read_asked(given, flat_ids=flat_ids)
    condition = condition if shown["show_expired"] else without_expired(condition)
    return ListWanted(condition, tuple(shown["fields"]))


def list_memories(access: BankAccess, wanted: ListWanted, page: PageWanted) -> Listed:
    """The newest first."""
    with tenant_transaction(access.tenant_id):
        units = find_told(access, wanted.condition)
        rows = describe_found(access, list(units.order_by("-mentioned_at", "-id")[page.rows]))
        return Listed(units.count(), [pick_fields(describe_memory(row), wanted.fields) for row in rows])


def describe_found(access: BankAccess, units: Sequence[MemoryUnit]) -> list[DescribedUnit]:
    """Of whichever bank: what is read beside them is found by the tenant and their ids."""
    return describe_units(Bank(tenant_id=access.tenant_id), units)
