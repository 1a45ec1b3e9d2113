"""LLM answers by question, kept for a tenant: a retry or a reprocessing costs nothing twice."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F

from banks.models import AnswerPurge, CachedAnswer
from tenants.transactions import tenant_transaction


def forget_answers(tenant_id: UUID, *, before: datetime | None = None) -> None:
    """All, or those of an earlier time. Call inside a tenant transaction.

    An answer may hold what was deleted since, and its key tells nobody: with a deletion all of them go, and those that
    are still to come from what was read before it are not kept.
    """
    rows = CachedAnswer.objects.for_tenant(tenant_id)
    if before is None:
        begin_anew(tenant_id)
        rows.delete()
    else:
        rows.filter(created_at__lt=before).delete()


def begin_anew(tenant_id: UUID) -> None:
    """Before the rows are deleted: the lock on this one keeps others from adding to them until the commit."""
    AnswerPurge.objects.for_tenant(tenant_id).bulk_create([AnswerPurge(times=0)], ignore_conflicts=True)
    AnswerPurge.objects.for_tenant(tenant_id).update(times=F("times") + 1)


def open_answers(tenant_id: UUID) -> "TenantAnswers":
    """Call before anything is read that questions are made of."""
    with tenant_transaction(tenant_id):
        times = AnswerPurge.objects.for_tenant(tenant_id).values_list("times", flat=True).first()
    return TenantAnswers(tenant_id, times or 0)


@dataclass(frozen=True)
class TenantAnswers:
    """The store behind `CachedLLM`. Its keys are hex digests of model, schema and messages.

    `purges` is how often answers were forgotten by when it was opened. After one more it keeps nothing: who holds it
    may have read what was deleted then.
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
        purges = AnswerPurge.objects.for_tenant(self.tenant_id)
        with tenant_transaction(self.tenant_id):
            purges.bulk_create([AnswerPurge(times=0)], ignore_conflicts=True)
            if purges.select_for_update(no_key=True).get().times == self.purges:
                CachedAnswer.objects.for_tenant(self.tenant_id).bulk_create([row], ignore_conflicts=True)
