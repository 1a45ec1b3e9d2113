"""The units that speak for a relationship."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import F

from banks.models import Bank, RelationshipSource


def read_tellers(bank: Bank, relationship_ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Of each the unit that told it last, a live one where there is one."""
    if not relationship_ids:
        return {}
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=relationship_ids)
    ranked = rows.order_by(F("unit__expired_at").desc(nulls_last=True), "unit__mentioned_at", "unit_id")
    return dict(ranked.values_list("relationship_id", "unit_id"))
