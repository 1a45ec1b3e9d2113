"""`/operations` of a bank: what is being done for it, and what became of it."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.errors import BadRequest, NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.hindsight_operation_names import name_operation, named
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.control import cancel, retry
from memoryplatform.operations.running.kind_names import CONSOLIDATE, IMPORT_BANK, REFRESH_OBSERVATIONS
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

MOST_OPERATIONS = 100
# Hindsight's names for what is the same work here; the others keep ours.
TASKS = {CONSOLIDATE: "consolidation", REFRESH_OBSERVATIONS: "consolidation"}


class OperationListInput(OffsetInput):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_OPERATIONS, default=20)
    status = serializers.CharField(required=False, default="")
    type = serializers.CharField(required=False, default="")


class HindsightOperationsView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(OperationListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = filter_operations(Operation.objects.for_tenant(self.tenant_id).filter(bank=bank), wanted)
            found = [describe_operation(one) for one in cut_page(rows.order_by("-id"), wanted)]
            page = {"total": rows.count(), "limit": wanted["limit"], "offset": wanted["offset"]}
            return Response({"bank_id": bank_id, "operations": found, **page})


class HindsightOperationView(HindsightView):
    def get(self, request: Request, bank_id: str, operation_id: str) -> Response:
        """One that is not there is told as a status, not as an error."""
        wanted = read_id(operation_id)
        operation = find_operation(self.access, bank_id, wanted)
        if operation is None:
            return Response({"operation_id": operation_id, "status": "not_found"})
        shown = describe_operation(operation) | {
            "completed_at": operation.finished_at,
            "result_metadata": operation.result,
            "child_operations": None,
        }
        if request.query_params.get("include_payload", "").lower() == "true":
            shown["task_payload"] = operation.payload
        return Response(shown)

    def delete(self, _request: Request, bank_id: str, operation_id: str) -> Response:
        operation = get_operation(self.access, bank_id, read_id(operation_id))
        cancel(self.tenant_id, operation.id, actor=self.actor, banks=self.identity.banks)
        message = f"Operation {operation_id} is cancelled."
        return Response({"success": True, "message": message, "operation_id": operation_id})


class HindsightRetryView(HindsightView):
    @idempotent
    def post(self, _request: Request, bank_id: str, operation_id: str) -> Response:
        operation = get_operation(self.access, bank_id, read_id(operation_id))
        retry(self.tenant_id, operation.id, actor=self.actor, banks=self.identity.banks)
        message = f"Operation {operation_id} will be tried again."
        return Response({"success": True, "message": message, "operation_id": operation_id})


class HindsightOperationDeletionView(HindsightView):
    def delete(self, _request: Request, bank_id: str, operation_id: str) -> Response:
        raise NotOffered("Operations are kept: what was done to a bank stays on record.")


def read_id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise BadRequest(f"Invalid operation_id format: {given}") from None


def find_operation(access: BankAccess, bank_id: str, operation_id: UUID) -> Operation | None:
    """Of a bank, also of one that is gone. An import is asked for at another bank than the one that it makes."""
    with tenant_transaction(access.tenant_id):
        rows = Operation.objects.for_tenant(access.tenant_id).within(access.banks)
        operation = rows.filter(named(operation_id)).first()
    return operation if operation and (operation.bank_key == bank_id or operation.kind == IMPORT_BANK) else None


def filter_operations(rows: TenantQuerySet[Operation], wanted: dict[str, Any]) -> TenantQuerySet[Operation]:
    if wanted["status"]:
        rows = rows.filter(status=wanted["status"])
    if wanted["type"]:
        kinds = [kind for kind, task in TASKS.items() if task == wanted["type"]]
        rows = rows.filter(kind__in=kinds or [wanted["type"]])
    return rows


def get_operation(access: BankAccess, bank_id: str, operation_id: UUID) -> Operation:
    operation = find_operation(access, bank_id, operation_id)
    if operation is None:
        raise OperationNotFound(f"Operation {operation_id} not found")
    return operation


def describe_operation(operation: Operation) -> dict[str, Any]:
    operation_id, task = name_operation(operation), TASKS.get(operation.kind, operation.kind)
    return {
        "id": operation_id,
        "operation_id": operation_id,
        "task_type": task,
        "operation_type": task,
        "items_count": len(operation.payload.get("sources", ())),
        "document_id": None,
        "mental_model_id": (operation.result or {}).get("mental_model_id"),
        "status": operation.status,
        "error_message": operation.error_detail or None,
        "created_at": operation.created_at,
        "updated_at": operation.updated_at,
        "retry_count": max(operation.attempts - 1, 0),
        "next_retry_at": operation.next_attempt_at,
        "progress": describe_progress(operation),
    }


def describe_progress(operation: Operation) -> dict[str, Any] | None:
    if not operation.stage:
        return None
    numbers = {"processed": operation.processed, "total": operation.total}
    return {"stage": operation.stage, "at": operation.updated_at, **numbers}
