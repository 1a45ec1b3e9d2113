"""Who may work on an operation. A lease says until when; its fencing token is checked in every writing transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.errors import LeaseLost
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.endings import tell_end
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Lease:
    tenant_id: UUID
    operation_id: UUID
    token: int

    @contextmanager
    def transaction(self) -> Iterator[Operation]:
        """A tenant transaction that commits only while this lease is the newest one.

        The row stays locked until the commit, so a claim or a cancellation comes wholly before or wholly after.
        """
        with tenant_transaction(self.tenant_id):
            rows = Operation.objects.for_tenant(self.tenant_id).select_for_update(no_key=True)
            operation = rows.held(self.operation_id, self.token).first()
            if operation is None:
                raise LeaseLost("Another worker holds this operation now, or it was cancelled.")
            yield operation

    def renew(self) -> None:
        """Push the end of the lease out, as a sign of life. Raises LeaseLost where it is too late for that."""
        until = lease_end()
        with tenant_transaction(self.tenant_id):
            rows = Operation.objects.for_tenant(self.tenant_id).held(self.operation_id, self.token)
            if not rows.update(lease_until=until):
                raise LeaseLost("Another worker holds this operation now, or it was cancelled.")
            Dispatch.objects.filter(operation_id=self.operation_id).update(due_at=until, wakes=0)


def claim(tenant_id: UUID, operation_id: UUID) -> tuple[Lease, Operation] | None:
    """Take the operation if it waits or its worker has gone silent; None where there is nothing to take."""
    now, until = timezone.now(), lease_end()
    with tenant_transaction(tenant_id):
        rows = Operation.objects.for_tenant(tenant_id).select_for_update(no_key=True, skip_locked=True)
        operation = rows.filter(id=operation_id).first()
        if operation is None or not is_claimable(operation, now):
            return None
        if operation.attempts >= operation.max_attempts:
            give_up(operation, now)
            return None
        operation.status = Operation.Status.PROCESSING
        operation.attempts += 1
        operation.fencing_token += 1
        operation.lease_until = until
        operation.started_at = operation.started_at or now
        operation.save()
        Dispatch.objects.filter(operation_id=operation_id).update(due_at=until, wakes=0)
    return Lease(tenant_id, operation_id, operation.fencing_token), operation


def is_claimable(operation: Operation, now: datetime) -> bool:
    if operation.status == Operation.Status.PENDING:
        return operation.next_attempt_at is None or operation.next_attempt_at <= now
    has_ended = operation.lease_until is not None and operation.lease_until <= now
    return operation.status == Operation.Status.PROCESSING and has_ended


def give_up(operation: Operation, now: datetime) -> None:
    """The worker of the last attempt died without a word."""
    operation.status = Operation.Status.FAILED
    operation.error_code = "worker_lost"
    operation.error_detail = f"The worker was lost in attempt {operation.attempts} of {operation.max_attempts}."
    operation.finished_at = now
    operation.save()
    Dispatch.objects.filter(operation_id=operation.id).delete()
    tell_end(operation)
    count_operation(operation.kind, operation.status)


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.OPERATION_LEASE_SECONDS)
