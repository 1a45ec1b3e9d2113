"""Changed facts: a fact was edited, merged or relinked after it moved an opinion.

Its effect under the former text is withdrawn, and the fact is weighed again.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from banks.models import Bank, MemoryUnit, Mention, UnitChange
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.opinions import RevisionEvidenceQuerySet
from reflection.opinions.candidate_pairs import count_shared, read_facts, read_movable
from reflection.opinions.lost_evidence import (
    EDITED,
    MERGED,
    PARTED,
    Withdrawn,
    group_by_opinion,
    withdraw_evidence,
)
from reflection.opinions.revisions import RETAIN

Action = UnitChange.Action
EVIDENTIAL = OpinionRevision.EVIDENTIAL


def withdraw_edited(bank: Bank, fact: MemoryUnit, *, now: datetime, actor: str) -> Withdrawn:
    """Call inside the tenant transaction of the edit, after it and after `lock_memory`."""
    rows = find_outdated(bank, Action.EDITED).filter(fact=fact)
    return withdraw_evidence(bank, group_by_opinion(rows), why=EDITED, now=now, actor=actor)


def withdraw_merged(bank: Bank, fact_ids: Collection[UUID], *, now: datetime) -> Withdrawn:
    """Call inside a tenant transaction, after `lock_memory`.

    Pinned and closed opinions stay as they are until evidence may move them again.
    """
    rows = find_outdated(bank, Action.MERGED).filter(fact_id__in=fact_ids, opinion__expired_at=None)
    free = rows.exclude(opinion__review=MemoryUnit.Review.PINNED)
    return withdraw_evidence(bank, group_by_opinion(free), why=MERGED, now=now, actor=RETAIN)


def find_merged_evidence(bank: Bank, opinion_id: UUID) -> set[UUID]:
    """The facts that were merged since they moved the opinion."""
    rows = find_outdated(bank, Action.MERGED).filter(opinion_id=opinion_id)
    return {fact_id for fact_id in rows.values_list("fact_id", flat=True) if fact_id}


def find_merged(bank: Bank, fact_ids: Collection[UUID], *, since: datetime) -> tuple[UUID, ...]:
    """Of these facts those that were merged since then."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=fact_ids, changed_at__gte=since)
    merged = changes.filter(action=Action.MERGED, before__has_key="text")
    return tuple(merged.order_by("unit_id").values_list("unit_id", flat=True).distinct())


def find_outdated(bank: Bank, action: UnitChange.Action) -> RevisionEvidenceQuerySet:
    """Evidence whose fact got another text after the revision."""
    later = UnitChange.objects.for_tenant(bank.tenant_id).filter(
        unit_id=OuterRef("fact_id"),
        action=action,
        before__has_key="text",
        changed_at__gt=OuterRef("revision__created_at"),
    )
    return RevisionEvidence.objects.of_bank(bank).effective().filter(Exists(later))


def withdraw_split(bank: Bank, entity_ids: Collection[UUID], *, now: datetime, actor: str) -> set[UUID]:
    """Withdraws facts about one of these entities from opinions about another, after a person split them.

    Returns the facts, to be weighed again by similarity. Pinned opinions stay as they are. Call inside the tenant
    transaction of the split, after `lock_memory`.
    """
    mentioning = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids).values("unit_id")
    verdicts = RevisionEvidence.objects.of_bank(bank).effective().filter(revision__cause__in=EVIDENTIAL)
    moving = verdicts.filter(opinion_id__in=mentioning, fact_id__in=mentioning)
    pairs = {
        row_id: (fact_id, opinion_id)
        for row_id, fact_id, opinion_id in moving.values_list("id", "fact_id", "opinion_id")
    }
    facts = read_facts(bank, {fact_id for fact_id, _ in pairs.values() if fact_id})
    opinions = read_movable(bank).keys() & {opinion_id for _, opinion_id in pairs.values()} if facts else set()
    shared = count_shared(bank, facts, opinions)
    parted = {
        row_id: fact_id
        for row_id, (fact_id, opinion_id) in pairs.items()
        if fact_id in facts and opinion_id in opinions and not shared[fact_id, opinion_id]
    }
    withdraw_evidence(bank, group_by_opinion(moving.filter(id__in=parted)), why=PARTED, now=now, actor=actor)
    return set(parted.values())
