"""Cancelling and retrying, as a person or a program asks for it."""

from uuid import UUID

from django.utils import timezone

from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.errors import OperationFinished, OperationNotFound
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.endings import tell_end
from memoryplatform.operations.running.registry import find_kind
from memoryplatform.operations.running.submit import dispatch
from tenants.audit import Actor, record
from tenants.transactions import tenant_transaction


def cancel(tenant_id: UUID, operation_id: UUID, *, actor: Actor, banks: frozenset[str] | None = None) -> Operation:
    """Stop an unfinished operation. A worker that is at it can't write from here on; what it committed stands."""
    with tenant_transaction(tenant_id):
        operation = access_for_change(tenant_id, operation_id, banks)
        if operation.is_finished:
            raise OperationFinished(f"The operation is {operation.status} and can't be cancelled any more.")
        kind = find_kind(operation.kind)  # one that this version no longer knows can be cancelled
        if kind is not None and not kind.cancellable:
            raise OperationFinished(f"An operation of the kind {operation.kind} can't be cancelled.")
        operation.status = Operation.Status.CANCELLED
        operation.finished_at, operation.lease_until = timezone.now(), None
        operation.save()
        Dispatch.objects.filter(operation_id=operation_id).delete()
        tell_end(operation)
        record(tenant_id, actor=actor, action="operation.cancelled", target=f"operation:{operation_id}")
    count_operation(operation.kind, operation.status)
    return operation


def retry(tenant_id: UUID, operation_id: UUID, *, actor: Actor, banks: frozenset[str] | None = None) -> Operation:
    """Give a failed or cancelled operation all its attempts again."""
    with tenant_transaction(tenant_id):
        operation = access_for_change(tenant_id, operation_id, banks)
        if operation.status not in {Operation.Status.FAILED, Operation.Status.CANCELLED}:
            raise OperationFinished(
                f"The operation is {operation.status}; only a failed or cancelled one can be retried."
            )
        operation.status = Operation.Status.PENDING
        operation.attempts = 0
        operation.next_attempt_at = operation.finished_at = None
        operation.error_code = operation.error_detail = ""
        operation.save()
        dispatch(operation)
        record(tenant_id, actor=actor, action="operation.retried", target=f"operation:{operation_id}")
    return operation


def access_for_change(tenant_id: UUID, operation_id: UUID, banks: frozenset[str] | None) -> Operation:
    """Fetch and lock. Not there, not yours and out of the key's reach are the same."""
    rows = Operation.objects.for_tenant(tenant_id).within(banks).select_for_update(no_key=True, of=("self",))
    operation = rows.filter(id=operation_id).first()
    if operation is None:
        raise OperationNotFound("There is no such operation.")
    return operation
