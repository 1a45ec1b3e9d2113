"""Accepting work: the operation and its dispatch are stored with what they need, and a worker is woken after that."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from banks.models import Bank
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.queues import wake_worker
from memoryplatform.operations.running.registry import get_kind

# The sweeper looks after this time, in case the process dies between the commit and the message.
GRACE = timedelta(seconds=5)


def submit(
    tenant_id: UUID,
    kind: str,
    *,
    payload: dict[str, Any],
    bank: Bank | None = None,
    idempotency_key: str | None = None,
    wake: bool = True,
) -> Operation:
    """Accept an operation. Call inside the tenant transaction that stores what it needs: both are kept, or neither.

    Without `wake` the caller performs it itself right after the commit; if it dies before that, the sweeper finds it.
    """
    operation = Operation.objects.for_tenant(tenant_id).create(
        kind=kind,
        bank=bank,
        bank_key=bank.bank_id if bank else "",
        payload=payload,
        idempotency_key=idempotency_key,
        max_attempts=settings.OPERATION_MAX_ATTEMPTS,
    )
    dispatch(operation, wake=wake)
    return operation


def submit_for_later(bank: Bank, kind: str, *, payload: dict[str, Any], due_at: datetime) -> Operation:
    """Accept an operation whose time has not come: the sweeper finds it then. Call inside a tenant transaction."""
    operation = submit(bank.tenant_id, kind, payload=payload, bank=bank, wake=False)
    Dispatch.objects.filter(operation_id=operation.id).update(due_at=due_at)
    return operation


def submit_once_for_later(bank: Bank, kind: str, *, due_at: datetime) -> Operation | None:
    """One that waits serves all who ask meanwhile: it is brought forward where it would come too late, unless it waits
    to try again. Call inside a tenant transaction.
    """
    pending = Operation.objects.for_tenant(bank.tenant_id).filter(kind=kind, bank=bank, status="pending")
    waiting = dict(pending.values_list("id", "next_attempt_at"))
    if not waiting:
        return submit_for_later(bank, kind, payload={}, due_at=due_at)
    unhindered = [one for one, next_attempt_at in waiting.items() if next_attempt_at is None]
    Dispatch.objects.filter(operation_id__in=unhindered, due_at__gt=due_at).update(due_at=due_at)
    return None


def dispatch(operation: Operation, *, wake: bool = True) -> None:
    """Have the operation looked at. Call inside the transaction that made it pending."""
    queue = get_kind(operation.kind).queue
    Dispatch.objects.create(
        operation_id=operation.id, tenant_id=operation.tenant_id, queue=queue, due_at=timezone.now() + GRACE
    )
    count_operation(operation.kind, operation.status)
    if wake:
        # robust: with the broker down the work is still accepted, and the sweeper sends the message later.
        transaction.on_commit(lambda: wake_worker(queue, operation.tenant_id, operation.id), robust=True)
