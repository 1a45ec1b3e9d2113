"""Requests for an export, kept as operations that are done: what they find is read anew whenever it is asked for.

So a memory that is deleted is in no export, and no copy of it is left.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.models.operation import OperationQuerySet
from memoryplatform.operations.running.kind_names import EXPORT_REQUEST
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class ExportRequest:
    """`request` is JSON that means something to whoever kept it."""

    id: UUID
    request: dict[str, Any]


def keep_export_request(access: BankAccess, request: dict[str, Any]) -> ExportRequest:
    now = timezone.now()
    with tenant_transaction(access.tenant_id):
        operation = Operation.objects.for_tenant(access.tenant_id).create(
            kind=EXPORT_REQUEST,
            status=Operation.Status.COMPLETED,
            payload={"request": request, "asked_by": access.actor.api_key_prefix},
            result={},
            max_attempts=1,
            started_at=now,
            finished_at=now,
        )
    return ExportRequest(operation.id, request)


def find_export_request(access: BankAccess, request_id: UUID) -> ExportRequest | None:
    with tenant_transaction(access.tenant_id):
        return read(reachable(access).filter(id=request_id).first())


def find_latest_export_request(access: BankAccess, **asked: Any) -> ExportRequest | None:
    """The newest whose request has these values."""
    wanted = {f"payload__request__{name}": value for name, value in asked.items()}
    with tenant_transaction(access.tenant_id):
        return read(reachable(access).filter(**wanted).order_by("-id").first())


def reachable(access: BankAccess) -> OperationQuerySet:
    """A key that is limited to some banks sees its own requests."""
    rows: OperationQuerySet = Operation.objects.for_tenant(access.tenant_id).filter(kind=EXPORT_REQUEST)
    return rows if access.banks is None else rows.filter(payload__asked_by=access.actor.api_key_prefix)


def read(operation: Operation | None) -> ExportRequest | None:
    return None if operation is None else ExportRequest(operation.id, operation.payload["request"])
