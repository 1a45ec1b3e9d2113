"""Facts that say something else than when they moved an opinion: a person edited them, or retain took another telling
of the matter into them. What they did under the former text is taken back, and they are weighed anew.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from banks.models import Bank, MemoryUnit, UnitChange
from reflection.models import RevisionEvidence
from reflection.models.revision_evidence import RevisionEvidenceQuerySet
from reflection.opinions.history.losses import EDITED, MERGED
from reflection.opinions.history.revisions import RETAIN
from reflection.opinions.history.withdrawing import Withdrawn, go_all_back, settle

Action = UnitChange.Action


def take_back_edited(bank: Bank, fact: MemoryUnit, *, now: datetime, actor: str) -> Withdrawn:
    """Call inside the tenant transaction of the edit, after it and after `lock_memory`."""
    rows = find_outdated(bank, Action.EDITED).filter(fact=fact)
    return take_back(bank, rows, why=EDITED, now=now, actor=actor)


def take_back_merged(bank: Bank, fact_ids: Collection[UUID], *, now: datetime) -> Withdrawn:
    """Call inside a tenant transaction, after `lock_memory`. Not of what evidence does not move: it follows when that
    is over.
    """
    rows = find_outdated(bank, Action.MERGED).filter(fact_id__in=fact_ids, opinion__expired_at=None)
    free = rows.exclude(opinion__review=MemoryUnit.Review.PINNED)
    return take_back(bank, free, why=MERGED, now=now, actor=RETAIN)


def find_retold_to(bank: Bank, opinion_id: UUID) -> set[UUID]:
    """The facts that took another telling in since they moved it. Call inside a tenant transaction."""
    rows = find_outdated(bank, Action.MERGED).filter(opinion_id=opinion_id)
    return {fact_id for fact_id in rows.values_list("fact_id", flat=True) if fact_id}


def find_merged(bank: Bank, fact_ids: Collection[UUID], *, since: datetime) -> tuple[UUID, ...]:
    """Those that took another telling in since then. Call inside a tenant transaction."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=fact_ids, changed_at__gte=since)
    merged = changes.filter(action=Action.MERGED, before__has_key="text")
    return tuple(merged.order_by("unit_id").values_list("unit_id", flat=True).distinct())


def find_outdated(bank: Bank, action: UnitChange.Action) -> RevisionEvidenceQuerySet:
    """Rows of evidence whose fact got other words since."""
    later = UnitChange.objects.for_tenant(bank.tenant_id).filter(
        unit_id=OuterRef("fact_id"),
        action=action,
        before__has_key="text",
        changed_at__gt=OuterRef("revision__created_at"),
    )
    return RevisionEvidence.objects.of_bank(bank).standing().filter(Exists(later), bears=True)


def take_back(bank: Bank, rows: RevisionEvidenceQuerySet, *, why: str, now: datetime, actor: str) -> Withdrawn:
    lost: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for opinion_id, row_id in rows.values_list("opinion_id", "id"):
        lost[opinion_id].add(row_id)
    settled = {opinion_id: settle(bank, opinion_id, lost[opinion_id], why=why) for opinion_id in sorted(lost)}
    losses = {opinion_id: loss for opinion_id, loss in settled.items() if loss}
    gone = len(settled) - len(losses)
    return Withdrawn(gone, deleted=gone) + go_all_back(bank, losses, actor=actor, now=now)
