"""The sweeper: finds operations that nobody looks after and wakes a worker for them.

That covers a process that died between commit and message, a broker that lost its messages, a worker that died with
a lease, and an attempt whose time has come. Any number of sweepers may run at once.
"""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memoryplatform.operations.models import Dispatch
from memoryplatform.operations.running.queues import wake_worker

BATCH = 500
FIRST_WAIT = timedelta(seconds=15)
MOST_DOUBLINGS = 6  # 16 minutes: a long backlog must not be flooded with repeated messages


def sweep() -> int:
    """Send one message for each operation that is due, and say how many there were."""
    due = take_due()
    sent: list[UUID] = []
    try:
        for row in due:
            wake_worker(row.queue, row.tenant_id, row.operation_id)
            sent.append(row.operation_id)
    finally:
        give_back([row.operation_id for row in due if row.operation_id not in sent])
    return len(due)


def give_back(unsent: list[UUID]) -> None:
    """A broker that is away must not make the waits longer: they are due again as soon as it is back."""
    if unsent:
        Dispatch.objects.filter(operation_id__in=unsent).update(due_at=timezone.now(), wakes=F("wakes") - 1)


def take_due() -> list[Dispatch]:
    """Mark first, send after: a sweeper that dies in between costs a wait, never an operation."""
    now = timezone.now()
    with transaction.atomic():
        due = list(
            Dispatch.objects.filter(due_at__lte=now).order_by("due_at").select_for_update(skip_locked=True)[:BATCH]
        )
        for row in due:
            row.due_at = now + FIRST_WAIT * 2 ** min(row.wakes, MOST_DOUBLINGS)
        Dispatch.objects.bulk_update(due, ["due_at"])
        Dispatch.objects.filter(operation_id__in=[row.operation_id for row in due]).update(wakes=F("wakes") + 1)
    return due
