"""Requests that carry an `Idempotency-Key`: performed once, answered the same way every time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from memoryplatform.operations.errors import KeyReused, RequestInFlight
from memoryplatform.operations.models import IdempotencyRecord
from tenants.transactions import tenant_transaction

KEPT_FOR = timedelta(hours=24)
# A request that has not answered by then died with its process, and its key may be used again.
IN_FLIGHT_FOR = timedelta(minutes=5)


@dataclass(frozen=True)
class Replay:
    status_code: int
    body: Any


@dataclass(frozen=True)
class Claim:
    tenant_id: UUID
    key: str
    claimed_at: datetime

    def finish(self, *, status_code: int, body: Any) -> None:
        """Keep the answer. Inside the transaction of the work, work and answer stand together or not at all."""
        with tenant_transaction(self.tenant_id):
            if not self._record().update(status_code=status_code, body=body):
                raise RequestInFlight("Another request has taken over this Idempotency-Key.")

    def release(self) -> None:
        """Forget the request, since nothing came of it: the same key may be tried again."""
        with tenant_transaction(self.tenant_id):
            self._record().filter(status_code=None).delete()

    def _record(self) -> Any:
        rows = IdempotencyRecord.objects.for_tenant(self.tenant_id)
        return rows.filter(key=self.key, claimed_at=self.claimed_at)


def begin(tenant_id: UUID, key: str, fingerprint: str) -> Claim | Replay:
    """Claim the key for this request, or find its answer. Raises where it is in flight or of another request."""
    claim = Claim(tenant_id, key, timezone.now())
    with tenant_transaction(tenant_id):
        rows = IdempotencyRecord.objects.for_tenant(tenant_id)
        rows.filter(claimed_at__lt=claim.claimed_at - KEPT_FOR).delete()
        fresh = IdempotencyRecord(tenant_id=tenant_id, key=key, fingerprint=fingerprint, claimed_at=claim.claimed_at)
        rows.bulk_create([fresh], ignore_conflicts=True)
        record = rows.select_for_update().filter(key=key).first()
        if record is None:  # the request that had it failed just now and released it
            raise RequestInFlight("A request with this Idempotency-Key has just failed; send it again.")
        if record.id == fresh.id:
            return claim
        if record.fingerprint != fingerprint:
            raise KeyReused("This Idempotency-Key was used for another request.")
        if record.status_code is not None:
            return Replay(record.status_code, record.body)
        if record.claimed_at > claim.claimed_at - IN_FLIGHT_FOR:
            raise RequestInFlight("A request with this Idempotency-Key is being served.")
        rows.filter(id=record.id).update(claimed_at=claim.claimed_at)
        return claim
