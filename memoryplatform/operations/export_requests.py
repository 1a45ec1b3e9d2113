"""Requests for an export, stored as completed operations. The memories are read when a caller fetches the result.

So an export never has a deleted memory, and no copy of a memory is stored.
"""

from typing import Any
from uuid import UUID

from django.utils import timezone

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation, OperationQuerySet
from memoryplatform.operations.running.kind_names import EXPORT_REQUEST
from tenants.transactions import tenant_transaction


def keep_export_request(access: BankAccess, request: dict[str, Any]) -> Operation:
    """The operation has the request in its payload."""
    now = timezone.now()
    with tenant_transaction(access.tenant_id):
        return Operation.objects.for_tenant(access.tenant_id).create(
            kind=EXPORT_REQUEST,
            status=Operation.Status.COMPLETED,
            payload={"request": request, "asked_by": access.actor.api_key_prefix},
            result={},
            max_attempts=1,
            started_at=now,
            finished_at=now,
        )


def find_export_request(access: BankAccess, request_id: UUID) -> Operation | None:
    with tenant_transaction(access.tenant_id):
        return find_reachable(access).filter(id=request_id).first()


def find_latest_export_request(access: BankAccess, **asked: Any) -> Operation | None:
    """The newest whose request has these values."""
    wanted = {f"payload__request__{name}": value for name, value in asked.items()}
    with tenant_transaction(access.tenant_id):
        return find_reachable(access).filter(**wanted).order_by("-id").first()


def find_reachable(access: BankAccess) -> OperationQuerySet:
    """A key that is limited to some banks sees its own requests."""
    rows: OperationQuerySet = Operation.objects.for_tenant(access.tenant_id).filter(kind=EXPORT_REQUEST)
    return rows if access.banks is None else rows.filter(payload__asked_by=access.actor.api_key_prefix)
