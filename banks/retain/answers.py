"""Cached LLM answers of a tenant, so that a retry costs nothing."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F

from banks.models import AnswerPurge, CachedAnswer
from tenants.transactions import tenant_transaction


def forget_answers(tenant_id: UUID, *, before: datetime | None = None) -> None:
    """Delete all answers, or those of an earlier time. Call inside a tenant transaction.

    An answer may quote a deleted memory, and its key does not say which. So every deletion deletes all answers. The
    counter also keeps out later answers from processes that read the memory before the deletion. Its row lock keeps
    others from adding answers until the commit.
    """
    rows = CachedAnswer.objects.for_tenant(tenant_id)
    if before is not None:
        rows.filter(created_at__lt=before).delete()
        return
    purges = AnswerPurge.objects.for_tenant(tenant_id)
    purges.bulk_create([AnswerPurge(times=0)], ignore_conflicts=True)
    purges.update(times=F("times") + 1)
    rows.delete()


def open_answers(tenant_id: UUID) -> "TenantAnswers":
    """Call before reading any memory for a question."""
    with tenant_transaction(tenant_id):
        times = AnswerPurge.objects.for_tenant(tenant_id).values_list("times", flat=True).first()
    return TenantAnswers(tenant_id, times or 0)


@dataclass(frozen=True)
class TenantAnswers:
    """The store behind `CachedLLM`. Its keys are hex digests of model, schema and messages.

    `purges` is the number of purges when it was opened. After another purge it keeps nothing: its holder may have
    read a memory that was deleted then.
    """

    tenant_id: UUID
    purges: int = 0

    def get(self, key: str) -> str | None:
        with tenant_transaction(self.tenant_id):
            rows = CachedAnswer.objects.for_tenant(self.tenant_id).filter(key=bytes.fromhex(key))
            answer = rows.values_list("answer", flat=True).first()
        return None if answer is None else bytes(answer).decode()

    def put(self, key: str, answer: str) -> None:
        row = CachedAnswer(key=bytes.fromhex(key), answer=answer.encode())
        with tenant_transaction(self.tenant_id):
            if self.lock_unpurged():
                CachedAnswer.objects.for_tenant(self.tenant_id).bulk_create([row], ignore_conflicts=True)

    def lock_unpurged(self) -> bool:
        """Whether no purge came since it was opened. Call inside a tenant transaction; a later purge waits for it."""
        purges = AnswerPurge.objects.for_tenant(self.tenant_id)
        purges.bulk_create([AnswerPurge(times=0)], ignore_conflicts=True)
        return purges.select_for_update(no_key=True).get().times == self.purges
