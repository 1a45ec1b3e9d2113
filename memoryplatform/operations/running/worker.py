"""A worker process: Dramatiq's threads for one group of queues, and the sweeper.

The sweeper wakes a worker for operations without one: a process died between commit and message, the broker lost its
messages, a worker died with a lease, or the time of an attempt has come. Any number of sweepers may run at once.
"""

import os
import signal
import threading
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import dramatiq
import structlog
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.db.models import F
from django.db.models.functions import Now
from dramatiq.errors import BrokerError
from redis.exceptions import RedisError

from memoryplatform.operations.models import Dispatch
from memoryplatform.operations.running.held_leases import end_leases_left_behind
from memoryplatform.operations.running.registry import load_kinds
from memoryplatform.operations.running.submit import wake_worker
from providers import registry
from providers.tracing import start_tracing
from tenants.roles import check_service_role

log = structlog.get_logger(__name__)
SWEEP_EVERY_SECONDS = 1.0
STOP_WITHIN_MS = 10_000
WITHOUT_MODELS = frozenset({"notify"})  # these groups need no embedder and save its memory
BATCH = 500
FIRST_WAIT = timedelta(seconds=15)
MAX_DOUBLINGS = 6  # 16 minutes: a long backlog must not be flooded with repeated messages


def serve(group: str) -> None:
    """Work until SIGTERM or SIGINT, then put unfinished operations back and return."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    os.nice(settings.WORKER_NICENESS)  # whoever waits for an answer comes before what happens later anyway
    check_service_role()
    end_leases_left_behind()
    load_kinds()
    if settings.TRACING_URL:
        start_tracing(settings.TRACING_URL)
    if group not in WITHOUT_MODELS:
        registry.load_in_background(registry.get_embedder)
    broker = dramatiq.get_broker()
    broker.emit_after("process_boot")
    queues = set(settings.QUEUE_GROUPS[group])
    worker = dramatiq.Worker(broker, queues=queues, worker_threads=settings.WORKER_THREADS)
    worker.start()
    log.info("worker.started", group=group, threads=settings.WORKER_THREADS)
    sweep_until(stop)
    worker.stop(timeout=STOP_WITHIN_MS)
    log.info("worker.stopped", group=group)


def sweep_until(stop: threading.Event) -> None:
    """Sweep in the main thread. An outage of the database or the broker does not end the process."""
    while not stop.wait(SWEEP_EVERY_SECONDS):
        try:
            sweep()
        except (DatabaseError, RedisError, BrokerError, dramatiq.errors.ConnectionError) as error:
            log.warning("sweep.failed", error=type(error).__name__)
        finally:
            connections.close_all()


def sweep() -> int:
    """Send one message for each operation that is due, and return their number."""
    due = take_due()
    sent: list[UUID] = []
    try:
        for row in due:
            wake_worker(row.queue, row.tenant_id, row.operation_id)
            sent.append(row.operation_id)
    finally:
        # Due again: an outage of the broker must not lengthen their waits.
        unsent = [row.operation_id for row in due if row.operation_id not in sent]
        Dispatch.objects.filter(operation_id__in=unsent).update(due_at=Now(), wakes=F("wakes") - 1)
    return len(due)


def take_due() -> Sequence[Dispatch]:
    """Mark first, send after: a sweeper that dies in between costs a wait, never an operation."""
    with transaction.atomic():
        rows = Dispatch.objects.annotate(read_at=Now()).filter(due_at__lte=Now())
        due = list(rows.order_by("due_at").select_for_update(skip_locked=True)[:BATCH])
        for row in due:
            repeated = max(row.wakes - 1, 0)  # without the message of the submission
            row.due_at = row.read_at + FIRST_WAIT * 2 ** min(repeated, MAX_DOUBLINGS)
        Dispatch.objects.bulk_update(due, ["due_at"])
        Dispatch.objects.filter(operation_id__in=[row.operation_id for row in due]).update(wakes=F("wakes") + 1)
    return due
