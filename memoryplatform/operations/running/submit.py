"""Accepting, waking, cancelling and retrying operations."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import dramatiq
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from banks.models import Bank
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.errors import OperationFinished, OperationNotFound
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.perform import perform_next
from memoryplatform.operations.running.registry import find_kind, get_kind
from memoryplatform.operations.running.run import finish
from providers.tracing import write_carrier
from tenants.audit import Actor, record
from tenants.transactions import tenant_transaction

ATTEMPT_LIMIT_MS = 60 * 60 * 1000


def make_actor(queue: str) -> "dramatiq.Actor[[str, str], None]":
    """The broker does not retry: operations have their own retries, and the sweeper replaces lost messages.

    A message allows one operation. Which one is the choice of the fair queue; the ids tell people who read the broker
    which operation the message was sent for.
    """

    def perform_message(_tenant_id: str, _operation_id: str) -> None:
        perform_next(queue)

    decorate = dramatiq.actor(
        actor_name=f"perform_{queue}", queue_name=queue, time_limit=ATTEMPT_LIMIT_MS, notify_shutdown=True
    )
    return decorate(perform_message)


ACTORS = {queue: make_actor(queue) for queues in settings.QUEUE_GROUPS.values() for queue in queues}


def wake_worker(queue: str, tenant_id: UUID, operation_id: UUID) -> None:
    """Send a message. The dispatch must count it in `wakes`: otherwise the operation waits for no worker yet."""
    ACTORS[queue].send(str(tenant_id), str(operation_id))


# The sweeper waits this long for the message of the submitting process.
GRACE = timedelta(seconds=5)


def submit(  # noqa: PLR0913  # the parts of an operation
    tenant_id: UUID,
    kind: str,
    *,
    payload: dict[str, Any],
    bank: Bank | None = None,
    idempotency_key: str | None = None,
    api_key_prefix: str = "",
    wake: bool = True,
) -> Operation:
    """Accept an operation. Call inside the tenant transaction that stores its data: both are kept, or neither.

    Without `wake` the caller performs it right after the commit. If the caller dies before, the sweeper finds it.
    """
    operation = Operation.objects.for_tenant(tenant_id).create(
        kind=kind,
        bank=bank,
        bank_key=bank.bank_id if bank else "",
        payload=payload | write_carrier(),  # the worker continues the trace of the request
        idempotency_key=idempotency_key,
        api_key_prefix=api_key_prefix,
        max_attempts=settings.OPERATION_MAX_ATTEMPTS,
    )
    dispatch(operation, wake=wake)
    return operation


def submit_for_later(bank: Bank, kind: str, *, payload: dict[str, Any], due_at: datetime) -> Operation:
    """Accept an operation for a later time, when the sweeper finds it. Call inside a tenant transaction."""
    operation = submit(bank.tenant_id, kind, payload=payload, bank=bank, wake=False)
    Dispatch.objects.filter(operation_id=operation.id).update(due_at=due_at)
    return operation


def submit_once_for_later(bank: Bank, kind: str, *, due_at: datetime) -> Operation | None:
    """Accept an operation unless one of its kind is pending. A pending one that is due later is brought forward, unless
    it waits for a retry. Call inside a tenant transaction.
    """
    pending = Operation.objects.for_tenant(bank.tenant_id).filter(kind=kind, bank=bank, status="pending")
    waiting = dict(pending.values_list("id", "next_attempt_at"))
    if not waiting:
        return submit_for_later(bank, kind, payload={}, due_at=due_at)
    unhindered = [one for one, next_attempt_at in waiting.items() if next_attempt_at is None]
    Dispatch.objects.filter(operation_id__in=unhindered, due_at__gt=due_at).update(due_at=due_at)
    return None


def dispatch(operation: Operation, *, wake: bool = True) -> None:
    """Hand the operation to the workers. Call inside the transaction that made it pending."""
    queue = get_kind(operation.kind).queue
    Dispatch.objects.create(
        operation_id=operation.id,
        tenant_id=operation.tenant_id,
        queue=queue,
        due_at=Now() + GRACE,
        wakes=1 if wake else 0,
    )
    count_operation(operation.kind, operation.status)
    if wake:
        # robust: without the broker the work is still accepted, and the sweeper sends the message later.
        transaction.on_commit(lambda: wake_worker(queue, operation.tenant_id, operation.id), robust=True)


def cancel(tenant_id: UUID, operation_id: UUID, *, actor: Actor, banks: frozenset[str] | None = None) -> Operation:
    """Stop an unfinished operation. Its worker can't write any more; committed writes stay."""
    with tenant_transaction(tenant_id):
        operation = access_for_change(tenant_id, operation_id, banks)
        if operation.is_finished:
            raise OperationFinished(f"The operation is {operation.status} and can't be cancelled any more.")
        kind = find_kind(operation.kind)  # a kind that this version does not know can be cancelled
        if kind is not None and not kind.cancellable:
            raise OperationFinished(f"An operation of the kind {operation.kind} can't be cancelled.")
        finish(operation, Operation.Status.CANCELLED)
        record(tenant_id, actor=actor, action="operation.cancelled", target=f"operation:{operation_id}")
    count_operation(operation.kind, operation.status)
    return operation


def cancel_waiting(bank: Bank, kind: str) -> None:
    """Cancel operations of a deleted bank, which would find nothing to do. Call inside a tenant transaction.

    One that a worker has just taken ends by itself.
    """
    waiting = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=kind, status=Operation.Status.PENDING)
    for operation in waiting.select_for_update(skip_locked=True, of=("self",)):
        finish(operation, Operation.Status.CANCELLED)


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
    """Fetch and lock the row. A foreign operation and one outside the key's banks are not found either."""
    rows = Operation.objects.for_tenant(tenant_id).within(banks).select_for_update(no_key=True, of=("self",))
    operation = rows.filter(id=operation_id).first()
    if operation is None:
        raise OperationNotFound("There is no such operation.")
    return operation
