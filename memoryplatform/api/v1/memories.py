"""`/v1/banks/{bank_id}/memories`: retaining, listing and clearing."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank
from memoryplatform.api.errors import list_faults
from memoryplatform.api.idempotency import idempotent_operation, read_operation_key
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.lists import Listed, list_rows
from memoryplatform.api.v1.memory_input import ClearInput, UnitListInput
from memoryplatform.api.v1.memory_output import DeletedOutput, UnitListOutput
from memoryplatform.api.v1.retain_shapes import ReadItems, RetainInput, RetainOutput, read_items
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.clearing import Cleared, clear_memories
from memoryplatform.operations.memories.described_units import describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.models import Operation
from memoryplatform.operations.named_in_filters import check_entities, check_episode
from memoryplatform.operations.retain import retain
from tenants.transactions import tenant_transaction


def list_memories(view: TenantView, request: Request, bank_id: str) -> Response:
    query = UnitListInput(data=request.query_params)
    query.is_valid(raise_exception=True)
    with tenant_transaction(view.tenant_id):
        bank = get_bank(view.access, bank_id)
        wanted = query.memory_filter()
        check_named(bank, wanted)
        units = find_units(bank, wanted).defer("embedding")
        page = list_rows(units, query.validated_data, of=bank.id)
        shown = Listed(describe_units(bank, page.items), page.total, page.limit, page.offset, page.next_cursor)
    return Response(UnitListOutput(shown).data)


class MemoryListView(TenantView):
    @extend_schema(
        operation_id="list_memories_of_bank",
        summary="List memories, newest first, at Hindsight's address",
        parameters=[UnitListInput],
        responses={200: UnitListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        return list_memories(self, request, bank_id)


class ClearedOutput(DeletedOutput):
    """The counts are of what is gone by now."""

    operation_id = serializers.UUIDField(allow_null=True, help_text="The operation that deletes the others, if any.")


class MemoriesView(TenantView):
    quotes_memories = False

    @extend_schema(
        operation_id="retain",
        summary="Retain conversations, texts and facts",
        description="Each item stands for itself: one that is refused takes no other with it. The bank is made where "
        "it is missing. A small call waits for its memories; a large one, or `async`, is answered with the operation.",
        parameters=[IDEMPOTENCY_KEY],
        request=RetainInput,
        responses={200: RetainOutput, **ERRORS},
    )
    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        check_bank_id(bank_id)
        body = RetainInput(data=request.data)
        body.is_valid(raise_exception=True)
        read = read_items(body.validated_data["items"])
        if not read.good:
            raise serializers.ValidationError(
                {"items": {str(fault.index): fault.faults.detail for fault in read.faults}}
            )
        operation = retain(
            self.access,
            bank_id,
            read.good,
            wait=not body.validated_data["async"],
            idempotency_key=read_operation_key(self, request),
        )
        return Response(RetainOutput(describe(bank_id, operation, read)).data)

    @extend_schema(
        operation_id="list_memories",
        summary="List memories, newest first",
        parameters=[UnitListInput],
        responses={200: UnitListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        return list_memories(self, request, bank_id)

    @extend_schema(
        operation_id="clear_memories",
        summary="Delete all memories that a filter finds",
        description="For good, with what rests on them alone. Without a filter: every current memory of the bank; "
        "`state=all` takes the superseded ones too. Messages and documents stay. Many are deleted in the background: "
        "then the operation's result is the receipt.",
        parameters=[ClearInput],
        responses={200: ClearedOutput, **ERRORS},
    )
    def delete(self, request: Request, bank_id: str) -> Response:
        check_no_body(request)
        query = ClearInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.memory_filter()
        with tenant_transaction(self.tenant_id):
            check_named(get_bank(self.access, bank_id), wanted)
        cleared = clear_memories(self.access, bank_id, wanted)
        return Response(ClearedOutput(describe_cleared(cleared)).data)


def check_named(bank: Bank, wanted: MemoryFilter) -> None:
    """Call inside a tenant transaction."""
    check_entities(bank, [wanted.entity_id])
    check_episode(bank, wanted.episode_id)


def check_no_body(request: Request) -> None:
    """A filter that is passed over would find everything."""
    if request.body.strip() not in {b"", b"{}", b"null"}:
        raise serializers.ValidationError("A body is not read here: filters go in the address. Nothing is deleted.")


def describe_cleared(cleared: Cleared) -> dict[str, Any]:
    operation = cleared.operation
    message = f"{cleared.removed.units} memories are deleted."
    return {
        "success": True,
        "message": message if operation is None else "The memories are being deleted.",
        "removed": cleared.removed,
        "operation_id": operation.id if operation else None,
    }


def describe(bank_id: str, operation: Operation, read: ReadItems) -> dict[str, Any]:
    result = operation.result or {}
    return {
        "success": operation.status != Operation.Status.FAILED,
        "bank_id": bank_id,
        "items_count": len(read.good),
        "item_errors": [
            {"index": fault.index, "accepted": fault.is_accepted, "faults": list_faults(fault.faults)}
            for fault in read.faults
        ],
        "async": not operation.is_finished,
        "operation_id": operation.id,
        "status": operation.status,
        "unit_ids": result.get("unit_ids", []),
        "errors": result.get("errors", [operation.error_detail] if operation.error_detail else []),
        "notes": result.get("notes", []),
        "usage": result.get("usage"),
    }
