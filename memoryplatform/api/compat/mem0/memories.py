"""`/memories/` of every version: add, list, and delete all memories of an owner."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request

from banks.models import Bank, MemoryUnit
from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.compat.mem0.add import add_memories, add_memories_as_before
from memoryplatform.api.compat.mem0.deletion import delete_all
from memoryplatform.api.compat.mem0.filter_conditions import Condition
from memoryplatform.api.compat.mem0.filter_grammar import read_query_filters, read_request_filters, without_expired
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, PageRequest, asks_for_page, describe_page, read_page
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, list_categories, read_metadata
from memoryplatform.api.compat.mem0.owners import describe_owners
from memoryplatform.api.compat.mem0.unit_lookup import find_units
from memoryplatform.api.idempotency import idempotent_operation, read_operation_key
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units
from tenants.transactions import tenant_transaction

READS: dict[str, str] = {"POST": "read"}
WRAPPED = "v1.1"  # the output format that wraps the list in an object


def describe_memory(shown: DescribedUnit) -> dict[str, Any]:
    unit, owners = shown.unit, describe_owners(shown.tags)
    return {
        "id": unit.id,
        "memory": unit.rendered_text,
        **owners,
        "session_id": owners["run_id"],
        "metadata": read_metadata(shown.metadata),
        "categories": list_categories(shown.tags, shown.metadata),
        "created_at": unit.mentioned_at,
        "updated_at": unit.updated_at,
        "expiration_date": shown.metadata.get(EXPIRATION),
        "structured_attributes": None,
        "replaced_by": unit.superseded_by_id if unit.expired_at else None,
        "synthesized": False,
        "lifecycle_state": "active" if unit.expired_at is None else "replaced",
    }


def pick_fields(memory: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Keeps the id and the requested fields; all fields if none are requested."""
    return {name: value for name, value in memory.items() if not fields or name == "id" or name in fields}


class DisplayInput(serializers.Serializer[Any]):
    show_expired = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        """`fields` is a DRF property, so it can't be a class attribute."""
        names = serializers.ListField(child=serializers.CharField(), required=False, default=list)
        return super().get_fields() | {"fields": names}


def list_memories(
    access: BankAccess, condition: Condition, page: PageRequest, fields: Sequence[str] = ()
) -> tuple[int, list[dict[str, Any]]]:
    """The number of all memories that match, and a page of them, newest first."""
    with tenant_transaction(access.tenant_id):
        units = find_units(access, condition)
        rows = describe_found(access, list(units.order_by("-mentioned_at", "-id")[page.rows]))
        return units.count(), [pick_fields(describe_memory(row), fields) for row in rows]


def list_wanted(
    access: BankAccess, given: Any, page: PageRequest, *, flat_ids: bool
) -> tuple[int, list[dict[str, Any]]]:
    shown = read_body(DisplayInput, given).validated_data
    condition = read_request_filters(given, flat_ids=flat_ids)
    condition = condition if shown["show_expired"] else without_expired(condition)
    return list_memories(access, condition, page, shown["fields"])


def describe_found(access: BankAccess, units: Sequence[MemoryUnit]) -> list[DescribedUnit]:
    """The units may lie in several banks: `describe_units` needs the tenant only."""
    return describe_units(Bank(tenant_id=access.tenant_id), units)


class AddView(Mem0View):
    @idempotent_operation
    def post(self, request: Request) -> object:
        return add_memories(self.access, request.data, key=read_operation_key(self, request))


class MemoriesV1View(Mem0View):
    @idempotent_operation
    def post(self, request: Request) -> object:
        return add_memories_as_before(self.access, request.data, key=read_operation_key(self, request))

    def get(self, request: Request) -> object:
        return answer_list(self, request, read_query_filters(request.query_params))

    def delete(self, request: Request) -> object:
        return delete_all(self.access, request.query_params)


class MemoriesV2View(Mem0View):
    scopes: ClassVar[dict[str, str]] = READS

    def post(self, request: Request) -> object:
        return answer_list(self, request, request.data)


class MemoriesV3View(Mem0View):
    scopes: ClassVar[dict[str, str]] = READS

    def post(self, request: Request) -> object:
        page = read_page(request)
        return describe_page(request, page, *list_wanted(self.access, request.data, page, flat_ids=False))


def answer_list(view: Mem0View, request: Request, given: Any) -> object:
    """Older versions return a list, or a page if the request has a page number."""
    page = read_page(request)
    count, results = list_wanted(view.access, given, page, flat_ids=True)
    if asks_for_page(request):
        return describe_page(request, page, count, results)
    return {"results": results} if wants_object(given) else results


def wants_object(given: Any) -> bool:
    return isinstance(given, Mapping) and given.get("output_format") == WRAPPED
