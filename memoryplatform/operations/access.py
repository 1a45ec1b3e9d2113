"""Who asks: every use-case begins with it."""

from dataclasses import dataclass, field
from uuid import UUID

from tenants.audit import Actor


@dataclass(frozen=True)
class BankAccess:
    """Whose banks, and which of them, as the key decides."""

    tenant_id: UUID
    banks: frozenset[str] | None = None
    actor: Actor = field(default_factory=Actor)

    def reaches(self, bank_id: str) -> bool:
        return self.banks is None or bank_id in self.banks


def name_of(access: BankAccess) -> str:
    """As whom the histories of banks and memories know the caller."""
    return f"api_key:{access.actor.api_key_prefix}"
