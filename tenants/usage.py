"""The usage ledger of a tenant's requests and operations, written in their own transactions."""

from uuid import UUID

from providers.usage import Usage
from tenants.models import UsageRecord


def record_usage(
    tenant_id: UUID,
    kind: UsageRecord.Kind,
    usage: Usage,
    *,
    bank_id: str = "",
    operation_id: UUID | None = None,
    memories: int = 0,
) -> None:
    """Call inside a tenant transaction. A repeated operation is not written twice."""
    row = UsageRecord(
        kind=kind,
        bank_id=bank_id,
        operation_id=operation_id,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        calls=usage.calls,
        own_input_tokens=usage.own_input_tokens,
        own_output_tokens=usage.own_output_tokens,
        estimated=usage.estimated,
        memories=memories,
    )
    UsageRecord.objects.for_tenant(tenant_id).bulk_create([row], ignore_conflicts=True)
