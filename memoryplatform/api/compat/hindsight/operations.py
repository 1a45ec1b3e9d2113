"""`/operations` of a bank: background work, its progress and its result."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.idempotency import match_operation, name_operation
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import (
    CONSOLIDATE,
    IMPORT_BANK,
    REFRESH_MENTAL_MODEL,
    REFRESH_OBSERVATIONS,
)
from memoryplatform.operations.running.submit import cancel, retry
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

MOST_OPERATIONS = 100
FAILED = "refresh_failed_error"
ACTIVE = ("pending", "processing")
# Hindsight's names for the same work; other kinds keep our names.
TASKS = {CONSOLIDATE: "consolidation", REFRESH_OBSERVATIONS: "consolidation"}


class OperationListInput(hindsight_view.OffsetInput):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_OPERATIONS, default=20)
    status = serializers.CharField(required=False, default="")
    type = serializers.CharField(required=False, default="")
    active_only = serializers.BooleanField(default=False)


class HindsightOperationsView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(OperationListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            rows = filter_operations(Operation.objects.for_tenant(self.tenant_id).filter(bank=bank), wanted)
            found = [describe_operation(one) for one in hindsight_view.cut_page(rows.order_by("-id"), wanted)]
            page = {"total": rows.count(), "limit": wanted["limit"], "offset": wanted["offset"]}
            return {"bank_id": bank_id, "operations": found, **page}


class HindsightOperationView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str, operation_id: str) -> object:
        """A missing operation is a status, not an error."""
        wanted = read_id(operation_id)
        operation = find_operation(self.access, bank_id, wanted)
        if operation is None:
            return {"operation_id": operation_id, "status": "not_found"}
        shown = describe_operation(operation) | {
            "completed_at": operation.finished_at,
            "result_metadata": operation.result,
            "child_operations": None,
        }
        if request.query_params.get("include_payload", "").lower() == "true":
            shown["task_payload"] = operation.payload
        return shown

    def delete(self, _request: Request, bank_id: str, operation_id: str) -> object:
        operation = get_operation(self.access, bank_id, read_id(operation_id))
        cancel(self.tenant_id, operation.id, actor=self.actor, banks=self.identity.banks)
        message = f"Operation {operation_id} is cancelled."
        return {"success": True, "message": message, "operation_id": operation_id}


class HindsightRetryView(hindsight_view.HindsightView):
    @idempotent
    def post(self, _request: Request, bank_id: str, operation_id: str) -> object:
        operation = get_operation(self.access, bank_id, read_id(operation_id))
        retry(self.tenant_id, operation.id, actor=self.actor, banks=self.identity.banks)
        message = f"Operation {operation_id} will be tried again."
        return {"success": True, "message": message, "operation_id": operation_id}


class HindsightOperationDeletionView(hindsight_view.HindsightView):
    def delete(self, _request: Request, bank_id: str, operation_id: str) -> object:
        raise hindsight_view.NotOffered("Operations can't be deleted: they are part of the bank's record.")


def read_id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise hindsight_view.BadRequest(f"Invalid operation_id format: {given}") from None


def find_operation(access: BankAccess, bank_id: str, operation_id: UUID) -> Operation | None:
    """Also finds operations of a deleted bank. An import is visible at the bank of the request and at the new bank."""
    with tenant_transaction(access.tenant_id):
        rows = Operation.objects.for_tenant(access.tenant_id).within(access.banks)
        operation = rows.filter(match_operation(operation_id)).first()
    return operation if operation and (operation.bank_key == bank_id or operation.kind == IMPORT_BANK) else None


def filter_operations(rows: TenantQuerySet[Operation], wanted: dict[str, Any]) -> TenantQuerySet[Operation]:
    if wanted["status"]:
        rows = rows.filter(status=wanted["status"])
    if wanted["active_only"]:
        rows = rows.filter(status__in=ACTIVE)
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
        "filename": operation.payload.get("filename"),
        "mental_model_id": (operation.result or {}).get("mental_model_id"),
        "details": describe_details(operation),
        "status": operation.status,
        "error_message": operation.error_detail or None,
        "created_at": operation.created_at,
        "updated_at": operation.updated_at,
        "retry_count": max(operation.attempts - 1, 0),
        "next_retry_at": operation.next_attempt_at,
        "progress": describe_progress(operation),
    }


def describe_details(operation: Operation) -> dict[str, Any] | None:
    """Hindsight has details of a refresh of a mental model only."""
    if operation.kind != REFRESH_MENTAL_MODEL or not operation.is_finished:
        return None
    if operation.status == Operation.Status.FAILED:
        return {"operation_type": operation.kind, "outcome": FAILED, "failure_reason": "unexpected_error"}
    outcome = (operation.result or {}).get("outcome")
    return outcome and {"operation_type": operation.kind, "outcome": outcome, "failure_reason": None}


def describe_progress(operation: Operation) -> dict[str, Any] | None:
    if not operation.stage:
        return None
    numbers = {"processed": operation.processed, "total": operation.total}
    return {"stage": operation.stage, "at": operation.updated_at, **numbers}
