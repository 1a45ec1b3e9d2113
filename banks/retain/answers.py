"""LLM answers by question, kept for a tenant: a retry or a reprocessing costs nothing twice."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import CachedAnswer
from tenants.transactions import tenant_transaction


def forget_answers(tenant_id: UUID, *, before: datetime | None = None) -> None:
    """All, or those of an earlier time. Call inside a tenant transaction.

    An answer may hold what was deleted since, and its key tells nobody: with a deletion all of them go.
    """
    rows = CachedAnswer.objects.for_tenant(tenant_id)
    (rows if before is None else rows.filter(created_at__lt=before)).delete()


@dataclass(frozen=True)
class TenantAnswers:
    """The store behind `CachedLLM`. Its keys are hex digests of model, schema and messages."""

    tenant_id: UUID

    def get(self, key: str) -> str | None:
        with tenant_transaction(self.tenant_id):
            rows = CachedAnswer.objects.for_tenant(self.tenant_id).filter(key=bytes.fromhex(key))
            answer = rows.values_list("answer", flat=True).first()
        return None if answer is None else bytes(answer).decode()

    def put(self, key: str, answer: str) -> None:
        row = CachedAnswer(key=bytes.fromhex(key), answer=answer.encode())
        with tenant_transaction(self.tenant_id):
            CachedAnswer.objects.for_tenant(self.tenant_id).bulk_create([row], ignore_conflicts=True)
