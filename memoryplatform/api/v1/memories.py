"""`/v1/banks/{bank_id}/memories`: retaining, and looking at what is remembered."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import MemoryNotFound
from banks.models import MemoryUnit, UnitSource
from memoryplatform.api.errors import list_faults
from memoryplatform.api.idempotency import HEADER, idempotent_operation
from memoryplatform.api.pagination import paginate
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.v1.memory_shapes import (
    ItemInput,
    RetainInput,
    RetainOutput,
    UnitDetailOutput,
    UnitListInput,
    UnitListOutput,
)
from memoryplatform.api.views import TenantView
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from tenants.transactions import tenant_transaction


class MemoriesView(TenantView):
    @extend_schema(
        operation_id="retain",
        summary="Retain conversations and texts",
        description="Each item stands for itself: one that is refused takes no other with it. The bank is made where "
        "it is missing. A small call waits for its memories; a large one, or `async`, is answered with the operation.",
        parameters=[IDEMPOTENCY_KEY],
        request=RetainInput,
        responses={200: RetainOutput, **ERRORS},
    )
    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        body = RetainInput(data=request.data)
        body.is_valid(raise_exception=True)
        inputs = [ItemInput(data=item) for item in body.validated_data["items"]]
        good = [item.item() for item in inputs if item.is_valid()]
        faults = [
            {"index": index, "faults": list_faults(serializers.ValidationError(item.errors))}
            for index, item in enumerate(inputs)
            if not item.is_valid()
        ]
        if not good:
            raise serializers.ValidationError({"items": {str(index): item.errors for index, item in enumerate(inputs)}})
        operation = retain(
            self.access,
            bank_id,
            good,
            wait=not body.validated_data["async"],
            idempotency_key=request.headers.get(HEADER),
        )
        return Response(RetainOutput(describe(bank_id, operation, len(good), faults)).data)

    @extend_schema(
        operation_id="list_memories",
        summary="List memories, newest first",
        parameters=[UnitListInput],
        responses={200: UnitListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = UnitListInput(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        with tenant_transaction(self.tenant_id):
            units = MemoryUnit.objects.of_bank(get_bank(self.access, bank_id)).current()
            if "type" in wanted:
                units = units.filter(network=wanted["type"])
            page = paginate(units, limit=wanted["limit"], cursor=wanted.get("cursor"))
        return Response(UnitListOutput({"memories": page.rows, "next_cursor": page.next_cursor}).data)


class MemoryView(TenantView):
    @extend_schema(
        operation_id="get_memory",
        summary="Get a memory with what it rests on",
        responses={200: UnitDetailOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            unit = MemoryUnit.objects.of_bank(bank).filter(id=memory_id).first()
            if unit is None:
                raise MemoryNotFound(memory_id)
            sources = list(UnitSource.objects.for_tenant(self.tenant_id).filter(unit=unit).order_by("id"))
        unit.sources = sources  # type: ignore[attr-defined]
        return Response(UnitDetailOutput(unit).data)


def describe(bank_id: str, operation: Operation, count: int, faults: list[dict[str, Any]]) -> dict[str, Any]:
    result = operation.result or {}
    return {
        "success": operation.status != Operation.Status.FAILED,
        "bank_id": bank_id,
        "items_count": count,
        "item_errors": faults,
        "async": not operation.is_finished,
        "operation_id": operation.id,
        "status": operation.status,
        "unit_ids": result.get("unit_ids", []),
        "errors": result.get("errors", [operation.error_detail] if operation.error_detail else []),
        "usage": result.get("usage"),
    }
