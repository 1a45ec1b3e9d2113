"""Few deliveries of one tenant at once: receivers who take their time must not hold the threads that others need.

Who finds enough under way steps aside, and is woken by the next that ends.
"""

import random
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memoryplatform.operations.errors import NotYet
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.models.operation import OperationQuerySet
from memoryplatform.operations.running.kind_names import DELIVER_WEBHOOK
from memoryplatform.operations.running.queues import wake_worker
from memoryplatform.operations.running.run import Run

QUEUE = "notify"
MOST_AT_ONCE = 2  # of a tenant, over all workers
SENDING = "sending"
LEAST_WAIT, LONGEST_WAIT = 5, 300  # seconds, for the case that whoever should wake it has died


class OthersFirst(NotYet):
    code = "others_first"


def take_turn(run: Run) -> None:
    """Raises OthersFirst where enough of the tenant's deliveries are under way."""
    with run.transaction() as operation:
        lock_turns(run.tenant_id)
        held = find_deliveries(run.tenant_id).filter(status=Operation.Status.PROCESSING, lease_until__gt=timezone.now())
        if held.filter(stage=SENDING).exclude(id=operation.id).count() >= MOST_AT_ONCE:
            detail = "Other deliveries of this tenant are under way."
            raise OthersFirst(detail, wait=wait_among(find_waiting(run.tenant_id).count()))
        operation.stage = SENDING
        operation.save(update_fields=["stage", "updated_at"])


def pass_turn_on(operation: Operation) -> None:
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
    """End the wait of one that is pending. Call inside a tenant transaction that holds its row."""
    waiting.next_attempt_at, waiting.error_code, waiting.error_detail = None, "", ""
    waiting.save(update_fields=["next_attempt_at", "error_code", "error_detail", "updated_at"])
    due_at = timezone.now() + timedelta(seconds=LEAST_WAIT)
    Dispatch.objects.filter(operation_id=waiting.id).update(due_at=due_at, wakes=0)
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
    """The more wait, the longer: so many as there may be, about one a second looks whether it was forgotten."""
    seconds = min(LEAST_WAIT + others, LONGEST_WAIT)
    return timedelta(seconds=seconds * random.uniform(0.5, 1.0))  # noqa: S311  # jitter, not a secret
