"""Requests that carry an `Idempotency-Key`: performed once, answered the same way every time."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Q
from django.utils import timezone

from memoryplatform.operations.errors import AnswerForgotten, KeyReused, RequestInFlight
from memoryplatform.operations.models import IdempotencyRecord, Operation
from tenants.sealed_text import SealedText
from tenants.transactions import tenant_transaction

KEPT_FOR = timedelta(hours=24)
# A request that has not answered by then died with its process, and its key may be used again.
IN_FLIGHT_FOR = timedelta(minutes=5)
OPERATION_KEY = "request:"
ANY_BANK = "/"  # no bank can be called so


@dataclass(frozen=True)
class Replay:
    status_code: int
    body: Any


@dataclass(frozen=True)
class Claim:
    tenant_id: UUID
    key: str
    claimed_at: datetime
    record_id: UUID

    def finish(self, *, status_code: int, body: Any) -> None:
        """Keep the answer. Inside the transaction of the work, work and answer stand together or not at all."""
        with tenant_transaction(self.tenant_id):
            record = self._record().select_for_update().first()
            if record is None:
                raise RequestInFlight("Another request has taken over this Idempotency-Key.")
            record.status_code, record.answer = status_code, "" if record.forgotten else json.dumps(body)
            record.save(update_fields=["status_code", "answer"])

    def release(self) -> None:
        """Forget the request, since nothing came of it: the same key may be tried again.

        Once more where the database ends this connection too: what ended the work's has often ended all.
        """
        try:
            self._forget()
        except (OperationalError, InterfaceError):
            if not connection.in_atomic_block:
                connection.close()
            self._forget()

    def _forget(self) -> None:
        with tenant_transaction(self.tenant_id):
            self._record().filter(status_code=None).delete()

    def _record(self) -> Any:
        rows = IdempotencyRecord.objects.for_tenant(self.tenant_id)
        return rows.filter(key=self.key, claimed_at=self.claimed_at)


def begin(tenant_id: UUID, key: str, fingerprint: str, *, bank_key: str = "") -> Claim | Replay:
    """Claim the key for this request, or find its answer. Raises where it is in flight or of another request."""
    now = timezone.now()
    with tenant_transaction(tenant_id):
        forget_old_records(tenant_id, now=now)
        rows = IdempotencyRecord.objects.for_tenant(tenant_id)
        fresh = IdempotencyRecord(
            tenant_id=tenant_id, key=key, fingerprint=fingerprint, bank_key=bank_key, claimed_at=now
        )
        rows.bulk_create([fresh], ignore_conflicts=True)
        record = rows.select_for_update().filter(key=key).first()
        if record is None:  # the request that had it failed just now and released it
            raise RequestInFlight("A request with this Idempotency-Key has just failed; send it again.")
        if record.id == fresh.id:
            return Claim(tenant_id, key, now, record.id)
        if record.fingerprint != fingerprint:
            raise KeyReused("This Idempotency-Key was used for another request.")
        if record.status_code is not None:
            return replay(record.status_code, record.answer)
        is_recent = record.claimed_at > now - IN_FLIGHT_FOR
        if is_recent and not has_outlived_its_request(tenant_id, key, fingerprint, now=now):
            raise RequestInFlight("A request with this Idempotency-Key is being served.")
        rows.filter(id=record.id).update(claimed_at=now)
        return Claim(tenant_id, key, now, record.id)


def release_claim(tenant_id: UUID, record_id: UUID, claimed_at: datetime) -> None:
    """Release the key of a request whose process died, unless it was answered or another request took it over."""
    with tenant_transaction(tenant_id):
        rows = IdempotencyRecord.objects.for_tenant(tenant_id)
        rows.filter(id=record_id, claimed_at=claimed_at, status_code=None).delete()


def has_outlived_its_request(tenant_id: UUID, key: str, fingerprint: str, *, now: datetime) -> bool:
    """Whether the request submitted an operation that can be reported by now, so that no caller has to wait.

    A request waits for the first attempt and no longer: while that is to come or is made, the request may be served.
    Call inside a tenant transaction.
    """
    rows = Operation.objects.for_tenant(tenant_id).filter(created_at__gte=now - KEPT_FOR)
    operation = rows.filter(idempotency_key=build_operation_key(key, fingerprint)).first()
    if operation is None:
        return False
    is_to_come = operation.status == Operation.Status.PENDING and operation.fencing_token == 0
    is_made = operation.fencing_token == 1 and operation.lease_until is not None and operation.lease_until > now
    return not is_to_come and not is_made


def replay(status_code: int, answer: str) -> Replay:
    if not answer or isinstance(answer, SealedText):
        raise AnswerForgotten("The request was performed; its answer is no longer kept.")
    return Replay(status_code, json.loads(answer))


def forget_answers_about(tenant_id: UUID, bank_key: str) -> None:
    """Answers may quote what was deleted from the bank, and those that are still being made may too.

    That the requests were performed stays known. Call inside the tenant transaction of the deletion.
    """
    rows = IdempotencyRecord.objects.for_tenant(tenant_id).filter(bank_key__in=[ANY_BANK, bank_key])
    rows.filter(forgotten=False).update(answer="", forgotten=True)


def forget_old_records(tenant_id: UUID, *, now: datetime) -> None:
    """Call inside a tenant transaction."""
    IdempotencyRecord.objects.for_tenant(tenant_id).filter(claimed_at__lt=now - KEPT_FOR).delete()


def build_operation_key(key: str, fingerprint: str) -> str:
    """By which a request finds the operation that it submitted before its process died: that one, and no other."""
    return OPERATION_KEY + hashlib.sha256(f"{fingerprint}\n{key}".encode()).hexdigest()


def find_operation(tenant_id: UUID, kind: str, operation_key: str, *, now: datetime) -> Operation | None:
    """The operation that was submitted under the key, unless the key has expired.

    Operation ids that a caller chose do not expire. Call inside a tenant transaction.
    """
    rows = Operation.objects.for_tenant(tenant_id).filter(idempotency_key=operation_key)
    if operation_key.startswith(OPERATION_KEY):
        rows.filter(created_at__lt=now - KEPT_FOR).update(idempotency_key=None)
    return rows.filter(kind=kind).first()


PREFIX = "hindsight:"


def build_key(operation_id: UUID) -> str:
    return f"{PREFIX}{operation_id}"


def name_operation(operation: Operation) -> UUID:
    """The id that the caller chose, else our own."""
    key = operation.idempotency_key or ""
    return UUID(key.removeprefix(PREFIX)) if key.startswith(PREFIX) else operation.id


def match_operation(operation_id: UUID) -> Q:
    return Q(id=operation_id) | Q(idempotency_key=build_key(operation_id))
