"""The limit on deliveries of one tenant at once, so that slow receivers do not hold the threads of other tenants.

A delivery over the limit waits. The next delivery of the tenant that ends wakes it.
"""

import random
from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memoryplatform.operations.errors import NotYet
from memoryplatform.operations.models import Dispatch, Operation, OperationQuerySet
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.running.submit import wake_worker

QUEUE = "notify"
MAX_AT_ONCE = 2  # of a tenant, over all workers
SENDING = "sending"
LEAST_WAIT, LONGEST_WAIT = 5, 300  # seconds, in case the delivery that should wake it has died


class OthersFirst(NotYet):
    code = "others_first"


def take_turn(run: Run) -> None:
    """Raise OthersFirst if enough of the tenant's deliveries are under way."""
    with run.transaction() as operation:
        lock_turns(run.tenant_id)
        held = find_deliveries(run.tenant_id).filter(status=Operation.Status.PROCESSING, lease_until__gt=timezone.now())
        if held.filter(stage=SENDING).exclude(id=operation.id).count() >= MAX_AT_ONCE:
            detail = "Other deliveries of this tenant are under way."
            raise OthersFirst(detail, wait=wait_among(find_waiting(run.tenant_id).count()))
        operation.stage = SENDING
        operation.save(update_fields=["stage", "updated_at"])


def release_turn(operation: Operation) -> None:
    """Call inside the transaction that ends or interrupts a delivery."""
    operation.stage = ""
    operation.save(update_fields=["stage", "updated_at"])
    wake_next(operation.tenant_id)


def wake_next(tenant_id: UUID) -> None:
    """Call inside a tenant transaction."""
    rows = find_waiting(tenant_id).select_for_update(of=("self",), no_key=True, skip_locked=True)
    waiting = rows.order_by("id").first()
    if waiting is not None:
        begin_now(waiting)


def begin_now(waiting: Operation) -> None:
    """End the wait of a pending delivery. Call inside a tenant transaction that holds its row."""
    waiting.next_attempt_at, waiting.error_code, waiting.error_detail = None, "", ""
    waiting.save(update_fields=["next_attempt_at", "error_code", "error_detail", "updated_at"])
    due_at = timezone.now() + timedelta(seconds=LEAST_WAIT)
    Dispatch.objects.filter(operation_id=waiting.id).update(due_at=due_at, wakes=1)
    transaction.on_commit(lambda: wake_worker(QUEUE, waiting.tenant_id, waiting.id), robust=True)


def find_waiting(tenant_id: UUID) -> OperationQuerySet:
    rows = find_deliveries(tenant_id).filter(status=Operation.Status.PENDING)
    return rows.filter(error_code=OthersFirst.code)


def find_deliveries(tenant_id: UUID) -> OperationQuerySet:
    rows: OperationQuerySet = Operation.objects.for_tenant(tenant_id).filter(kind=DELIVER_WEBHOOK)
    return rows


def lock_turns(tenant_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"deliveries:{tenant_id}"])


def wait_among(others: int) -> timedelta:
    """A wait that grows with the number of waiting deliveries, so that about one a second looks again."""
    seconds = min(LEAST_WAIT + others, LONGEST_WAIT)
    return timedelta(seconds=seconds * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret


def find_carried(tenant_id: UUID, delivery_ids: Collection[UUID]) -> set[UUID]:
    """Those of the deliveries that an unfinished operation carries. Call inside a tenant transaction."""
    carriers = find_carriers(tenant_id, delivery_ids)
    return {UUID(one) for one in carriers.values_list("payload__delivery_id", flat=True)}


def find_carriers(tenant_id: UUID, delivery_ids: Collection[UUID]) -> OperationQuerySet:
    """The unfinished operations that carry the deliveries. Call inside a tenant transaction."""
    rows = find_deliveries(tenant_id).filter(status__in=Operation.UNFINISHED)
    return rows.filter(payload__delivery_id__in=[str(one) for one in delivery_ids])
