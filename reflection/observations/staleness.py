"""Which observations may be out of date: facts of their entity changed, and no refresh has seen that yet."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from banks.models import Bank, Mention
from reflection.models import ObservedEntity


def find_stale(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Since when, by the id of the observation. Call inside a tenant transaction."""
    if not unit_ids:
        return {}
    stale = ObservedEntity.objects.of_bank(bank).stale()
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    told = list(mentions.values_list("unit_id", "entity_id"))
    since = dict(stale.filter(entity_id__in={one for _, one in told}).values_list("entity_id", "stale_since"))
    found: dict[UUID, datetime] = {}
    for unit_id, entity_id in told:
        at = since.get(entity_id)
        if at is not None:
            found[unit_id] = min(at, found.get(unit_id, at))
    return found
