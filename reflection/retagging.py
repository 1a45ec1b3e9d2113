"""Facts that got other tags: opinions whose words came from them follow, and contents that were made from them go."""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import F, Q

from banks.models import Bank, MemoryUnit, UnitChange, UnitTag
from banks.retain.prepared import hash_tags
from reflection.models import MentalModelSource, RevisionEvidence
from reflection.models.revision_evidence import RevisionEvidenceQuerySet
from reflection.opinions.tagging import UNDER_SEVERAL, UNTAGGED, Tags, read_tags, share_tags

REASON = "what it was formed on has other tags"


def follow_retagged(bank: Bank, fact_ids: Collection[UUID], *, actor: str) -> None:
    """Call inside the tenant transaction that changed the tags, after `lock_memory`. What was made from the facts as a
    mental model counts as lost from then on.
    """
    MentalModelSource.objects.of_bank(bank).filter(unit_id__in=fact_ids).update(unit=None)
    grounds = find_grounds(bank)
    opinions = set(grounds.filter(fact_id__in=fact_ids).values_list("opinion_id", flat=True))
    rested_on: dict[UUID, set[UUID]] = {}
    for opinion_id, fact_id in grounds.filter(opinion_id__in=opinions).values_list("opinion_id", "fact_id"):
        rested_on.setdefault(opinion_id, set()).add(fact_id)
    tags = read_tags(bank, {*opinions, *(fact_id for facts in rested_on.values() for fact_id in facts)})
    for opinion in MemoryUnit.objects.of_bank(bank).filter(id__in=opinions).order_by("id"):
        shared = share_tags(tags.get(fact_id, UNTAGGED) for fact_id in rested_on[opinion.id])
        wear(bank, opinion, tags.get(opinion.id, UNTAGGED), shared, actor=actor)


def find_grounds(bank: Bank) -> RevisionEvidenceQuerySet:
    """Of the steps that gave an opinion words."""
    worded = Q(revision__number=1) | ~Q(revision__text_before=F("revision__text_after"))
    return RevisionEvidence.objects.of_bank(bank).filter(worded, fact__isnull=False)


def wear(bank: Bank, opinion: MemoryUnit, own: Tags, shared: Tags, *, actor: str) -> None:
    """Never none where it had some: its author may have been asked by tags. Where another live one has its words under
    the new tags already, that one is seen by them; this one stays for those who ask without tags.
    """
    tags = shared or own
    if tags != own and is_worn(bank, opinion, tags):
        tags = UNDER_SEVERAL
    if tags == own or is_worn(bank, opinion, tags):
        return
    rows = UnitTag.objects.for_tenant(bank.tenant_id)
    rows.filter(unit=opinion).delete()
    rows.bulk_create([UnitTag(unit=opinion, bank_id=bank.id, tag=tag) for tag in sorted(tags)])
    opinion.tags_hash = hash_tags(tags)
    opinion.save(update_fields=["tags_hash"])
    note(bank, opinion, own, tags, actor=actor)


def is_worn(bank: Bank, opinion: MemoryUnit, tags: Tags) -> bool:
    """Whether another live opinion has the same words under these tags, of which there is one."""
    others = MemoryUnit.objects.of_bank(bank).current().exclude(id=opinion.id)
    same = others.filter(network=opinion.network, content_hash=bytes(opinion.content_hash), tags_hash=hash_tags(tags))
    return opinion.expired_at is None and same.exists()


def note(bank: Bank, opinion: MemoryUnit, own: Iterable[str], tags: Iterable[str], *, actor: str) -> None:
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=opinion,
        action=UnitChange.Action.EDITED,
        before={"tags": sorted(own)},
        after={"tags": sorted(tags)},
        actor=actor,
        reason=REASON,
    )
