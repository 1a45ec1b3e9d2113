"""Who stood in a relationship that ended: nothing new may name them, yet what is known of them is another thing."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Min, Q

from banks.models import Bank, Relationship
from reflection.models import ObservedScope
from reflection.observations.told import UNCOMMITTED


def find_parted(bank: Bank, entity_ids: Collection[UUID], *, since: datetime) -> set[UUID]:
    """Those at the other end of what ended of these since then, or was announced to end, unless they were observed
    after that. Call inside a tenant transaction.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(bank=bank)
    of_them = rows.filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids))
    over = of_them.filter(Q(expired_at__gte=since) | Q(announced_at__gte=since))
    ended: dict[UUID, datetime] = {}
    for *ends, expired_at, announced_at in over.values_list("subject_id", "object_id", "expired_at", "announced_at"):
        at = max(moment for moment in (expired_at, announced_at) if moment)
        ended |= {one: max(at, ended.get(one, at)) for one in ends if one is not None and one not in entity_ids}
    seen = read_seen(bank, ended) if ended else {}
    return {one for one, at in ended.items() if one not in seen or seen[one] < at + UNCOMMITTED}


def read_seen(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, datetime]:
    scopes = ObservedScope.objects.of_bank(bank).filter(entity_id__in=entity_ids, seen_until__isnull=False)
    return dict(scopes.values_list("entity_id").annotate(first=Min("seen_until")).values_list("entity_id", "first"))
