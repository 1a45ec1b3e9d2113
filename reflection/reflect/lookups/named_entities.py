from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank, EntityName
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class NamedEntity:
    id: UUID
    name: str


def find_named_entities(bank: Bank, normalised_names: Sequence[str], *, most: int) -> list[NamedEntity]:
    """Those of the bank that go by one of the names, the most mentioned first."""
    if not normalised_names:
        return []
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, normalised_name__in=list(normalised_names)
    )
    with tenant_transaction(bank.tenant_id):
        found = list(
            rows.order_by("-entity__mention_count", "entity_id").values_list("entity_id", "entity__name")[: most * 4]
        )
    return [NamedEntity(entity_id, name) for entity_id, name in dict(found).items()][:most]
