"""The demo bank: six weeks in the memory of Juno, the research aide of an invented company."""

from uuid import UUID

from banks.models import Bank
from tenants.models import AuditEvent

BANK_ID, NAME = "juno", "Juno"
IMPORTED = {"action": "bank.imported", "target": f"bank:{BANK_ID}"}  # the audit event of the seed


def is_seeded(tenant_id: UUID) -> bool:
    """Whether the tenant has the bank, or had it and deleted it. Call inside a tenant transaction."""
    events = AuditEvent.objects.for_tenant(tenant_id)
    return (
        Bank.objects.for_tenant(tenant_id).live().filter(bank_id=BANK_ID).exists() or events.filter(**IMPORTED).exists()
    )


def find_demo_bank(tenant_id: UUID) -> Bank | None:
    """The bank that `up` has seeded. Call inside a tenant transaction."""
    bank = Bank.objects.for_tenant(tenant_id).live().filter(bank_id=BANK_ID, name=NAME).first()
    is_seed = bank is not None and AuditEvent.objects.for_tenant(tenant_id).filter(**IMPORTED).exists()
    return bank if is_seed else None
