"""The attempt of a handler to perform an operation: its lease, its payload, its bank, and its end.

Every writing transaction checks the lease's fencing token. A heartbeat renews the lease beside the work, so that a long
model call does not look like a dead worker. Leases and waits are times of the database, which all processes share: the
clock of one machine may be wrong.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.db.models.functions import Now
from django.utils import timezone

from banks.models import Bank
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.errors import LeaseLost, PermanentFailure
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import CONSOLIDATE, DELIVER_WEBHOOK, RETAIN, SEND_MAIL
from providers.usage import Usage, metered
from tenants.models import Delivery, UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage
from tenants.webhook_outbox import Event, announce

MAX_EVENT_IDS = 1_000  # the operation itself has all of them


@dataclass(frozen=True)
class OperationFault:
    """Shown to the tenant."""

    code: str
    detail: str


def finish(operation: Operation, status: Operation.Status, fault: OperationFault | None = None) -> None:
    """Store the end, remove the dispatch, and announce it. Call inside the tenant transaction that holds the row."""
    operation.status = status
    if fault is not None:
        operation.error_code, operation.error_detail = fault.code, fault.detail
    operation.finished_at, operation.lease_until = timezone.now(), None
    operation.save()
    Dispatch.objects.filter(operation_id=operation.id).delete()
    announce_end(operation)


def announce_end(operation: Operation) -> None:
    """A mail announces nothing, nor does a delivery: its event would cause another delivery, without end."""
    is_complete = operation.status == Operation.Status.COMPLETED
    if operation.kind == SEND_MAIL:
        return
    if operation.kind == DELIVER_WEBHOOK:
        if not is_complete:
            give_up_delivery(operation)
        return
    data = build_event_data(operation)
    announce(operation.tenant_id, Event(f"operation.{operation.status}", operation.bank_key, data))
    if is_complete and operation.kind == RETAIN:
        memories = {"operation_id": data["operation_id"], **count_memories(operation.result or {})}
        announce(operation.tenant_id, Event("memories.retained", operation.bank_key, memories))
    elif is_complete and operation.kind == CONSOLIDATE:
        announce(operation.tenant_id, Event("memories.consolidated", operation.bank_key, data))


def build_event_data(operation: Operation) -> dict[str, Any]:
    """The error's code without its text, which may quote a memory."""
    data: dict[str, Any] = {
        "operation_id": str(operation.id),
        "kind": operation.kind,
        "status": str(operation.status),
    }
    return data | ({"error_code": operation.error_code} if operation.error_code else {})


def count_memories(result: dict[str, Any]) -> dict[str, Any]:
    ids = result.get("unit_ids", [])
    return {"memory_ids": ids[:MAX_EVENT_IDS], "memory_count": len(ids), "proven_again": result.get("proven_again", 0)}


def give_up_delivery(operation: Operation) -> None:
    """Mark the delivery of an operation that ended without delivering it as failed."""
    rows = Delivery.objects.for_tenant(operation.tenant_id).filter(id=UUID(operation.payload["delivery_id"]))
    reason = operation.error_detail or f"The operation that carried it is {operation.status}."
    rows.filter(status=Delivery.Status.PENDING).update(
        status=Delivery.Status.FAILED, error=reason[:300], next_attempt_at=None
    )


log = structlog.get_logger(__name__)
BEATS_PER_LEASE = 3


@dataclass(frozen=True)
class Lease:
    tenant_id: UUID
    operation_id: UUID
    token: int

    @contextmanager
    def transaction(self) -> Iterator[Operation]:
        """A tenant transaction that commits only while this lease is the newest one.

        The row stays locked until the commit, so a claim or a cancellation comes either before or after it.
        """
        with tenant_transaction(self.tenant_id):
            rows = Operation.objects.for_tenant(self.tenant_id).select_for_update(no_key=True)
            operation = rows.held(self.operation_id, self.token).first()
            if operation is None:
                raise LeaseLost("Another worker holds this operation now, or it was cancelled.")
            yield operation

    def renew(self) -> None:
        """Extend the lease. Raises LeaseLost if another worker holds the operation or it was cancelled."""
        until = Now() + get_lease_length()
        with tenant_transaction(self.tenant_id):
            rows = Operation.objects.for_tenant(self.tenant_id).held(self.operation_id, self.token)
            if not rows.update(lease_until=until):
                raise LeaseLost("Another worker holds this operation now, or it was cancelled.")
            Dispatch.objects.filter(operation_id=self.operation_id).update(due_at=until, wakes=0)


def claim(tenant_id: UUID, operation_id: UUID) -> tuple[Lease, Operation] | None:
    """Take an operation that waits, or whose lease has ended. None if there is nothing to take."""
    with tenant_transaction(tenant_id):
        rows = Operation.objects.for_tenant(tenant_id).select_for_update(no_key=True, skip_locked=True)
        operation = rows.annotate(read_at=Now()).filter(id=operation_id).first()
        if operation is None:
            return None
        now: datetime = operation.read_at  # type: ignore[attr-defined]  # an annotation
        if not is_claimable(operation, now):
            return None
        until = now + get_lease_length()
        if operation.attempts >= operation.max_attempts:
            give_up(operation)
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


def give_up(operation: Operation) -> None:
    """Fail an operation whose worker died in the last attempt."""
    detail = f"The worker was lost in attempt {operation.attempts} of {operation.max_attempts}."
    finish(operation, Operation.Status.FAILED, OperationFault("worker_lost", detail))
    count_operation(operation.kind, operation.status)


def get_lease_length() -> timedelta:
    return timedelta(seconds=settings.OPERATION_LEASE_SECONDS)


class Heartbeat:
    """One thread for a process. It renews the leases of the operations that the process performs.

    A worker that stops interrupts its threads. A thread that an operation has just started could get the interrupt
    instead, so no operation starts one of its own.
    """

    def __init__(self) -> None:
        self.due: dict[Lease, float] = {}
        self.changed = threading.Condition()
        self.thread: threading.Thread | None = None

    @contextmanager
    def keep(self, lease: Lease) -> Iterator[None]:
        with self.changed:
            self.due[lease] = next_beat()
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self.beat, name="heartbeat", daemon=True)
                self.thread.start()
            self.changed.notify()
        try:
            yield
        finally:
            with self.changed:
                self.due.pop(lease, None)

    def beat(self) -> None:
        while True:
            for lease in self.wait():
                self.renew(lease)
            connections.close_all()

    def wait(self) -> list[Lease]:
        """Sleep until a lease is due."""
        with self.changed:
            while not (due := [lease for lease, moment in self.due.items() if moment <= monotonic()]):
                self.changed.wait(min(self.due.values()) - monotonic() if self.due else None)
            self.due.update(dict.fromkeys(due, next_beat()))
            return due

    def renew(self, lease: Lease) -> None:
        try:
            lease.renew()
        except LeaseLost:  # the next fenced transaction of the work raises it
            with self.changed:
                self.due.pop(lease, None)
        except (DatabaseError, InterfaceError):
            log.warning("lease.renewal_failed", operation_id=str(lease.operation_id))


heartbeat = Heartbeat()


def next_beat() -> float:
    return monotonic() + settings.OPERATION_LEASE_SECONDS / BEATS_PER_LEASE


@dataclass
class Run:
    lease: Lease
    payload: dict[str, Any]
    attempt: int
    bank_pk: UUID | None
    is_complete: bool = field(default=False, init=False)
    spent: Usage = field(default_factory=Usage, init=False)
    memories: int = field(default=0, init=False)
    usage_kind: UsageRecord.Kind | None = field(default=None, init=False)
    progress: dict[str, Any] = field(default_factory=dict, init=False)
    reported_at: float = field(default_factory=monotonic, init=False)

    @property
    def tenant_id(self) -> UUID:
        return self.lease.tenant_id

    def transaction(self) -> AbstractContextManager[Operation]:
        """The transaction of a handler's writes. Raises LeaseLost after a takeover or a cancellation."""
        return self.lease.transaction()

    def report(self, stage: str, *, processed: int, total: int) -> None:
        """Store the progress, for callers that poll. Reports within half a second are stored with the end."""
        self.progress = {"stage": stage, "processed": processed, "total": total}
        if monotonic() - self.reported_at < settings.OPERATION_REPORT_SECONDS:
            return
        with self.transaction() as operation:
            self.write_progress(operation)
            operation.save(update_fields=[*self.progress, "updated_at"])
        self.reported_at = monotonic()

    def write_progress(self, operation: Operation) -> None:
        for name, value in self.progress.items():
            setattr(operation, name, value)

    def spend(self, kind: UsageRecord.Kind, usage: Usage, *, memories: int = 0) -> None:
        """Note the usage of a step. It is recorded when the attempt ends, also when it fails."""
        self.usage_kind, self.spent, self.memories = kind, self.spent + usage, self.memories + memories

    @contextmanager
    def metered(self, kind: UsageRecord.Kind) -> Iterator[None]:
        """Notes the usage of a step that fails, which returns none. One that succeeds hands its own to `spend`."""
        with metered() as meter:
            try:
                yield
            except BaseException:
                self.spend(kind, meter.usage)
                raise

    def complete(self, operation: Operation, result: dict[str, Any], *, stored_bytes: int = 0) -> None:
        """Finish together with the handler's last writes, and record the usage.

        Call inside `transaction()` with the row that it yielded.
        """
        self.record_usage(operation, stored_bytes=stored_bytes)
        self.write_progress(operation)
        operation.result = result
        finish(operation, Operation.Status.COMPLETED, OperationFault("", ""))
        self.is_complete = True

    def record_usage(self, operation: Operation, *, stored_bytes: int = 0) -> None:
        """Call inside a tenant transaction. An operation that never called `spend` has no row."""
        if self.usage_kind is not None:
            record_usage(
                self.tenant_id,
                self.usage_kind,
                self.spent,
                bank_id=operation.bank_key,
                api_key_prefix=operation.api_key_prefix,
                operation_id=operation.id,
                attempt=self.lease.token,
                memories=self.memories,
                stored_bytes=stored_bytes,
            )

    def record_lost_usage(self, operation: Operation) -> None:
        """The usage of an attempt that did not complete: its tokens were paid for."""
        if not self.is_complete and (self.spent.calls or self.memories):
            with tenant_transaction(self.tenant_id):
                self.record_usage(operation)


Step = Callable[[], tuple[Usage, Mapping[str, Any]]]


def perform_steps(run: Run, steps: Mapping[str, Step], **counts: int) -> dict[str, Any]:
    """Performs the steps, by stage, and completes the operation. Its result has the counts and the steps' figures.

    Each step commits by itself and finds nothing left to do when it runs again after a crash.
    """
    result = dict[str, Any](counts)
    for done, (stage, step) in enumerate(steps.items()):
        run.report(stage, processed=done, total=len(steps))
        with run.metered(UsageRecord.Kind.CONSOLIDATE):
            spent, figures = step()
        run.spend(UsageRecord.Kind.CONSOLIDATE, spent)
        result |= figures
    with run.transaction() as operation:
        run.complete(operation, result)
    return result


def load_bank(run: Run) -> Bank:
    """The bank that an operation works on. A deleted bank is a permanent failure: nothing is left to do."""
    with tenant_transaction(run.tenant_id):
        rows = Bank.objects.for_tenant(run.tenant_id).live()
        bank = rows.filter(id=run.bank_pk).first() if run.bank_pk else None
    if bank is None:
        raise PermanentFailure("The bank was deleted meanwhile.", code="bank_not_found")
    return bank
