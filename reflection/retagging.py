"""Retagged facts: opinions that were worded from them get new tags, and mental models made from them lose them."""

from collections.abc import Collection, Sequence
from itertools import chain
from uuid import UUID

from django.db.models import F, Q

from banks.enums import Network
from banks.facts import hash_tags
from banks.models import Bank, MemoryUnit, UnitChange, UnitSource, UnitTag
from reflection.mental_models import mark_sources_lost
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.opinions import RevisionEvidenceQuerySet
from reflection.opinions.history import FORMATION
from reflection.opinions.rewording import find_with_text
from reflection.opinions.scrubbing import is_covered
from reflection.opinions.tags import UNDER_SEVERAL, UNTAGGED, Tags, read_tags, share_tags

REASON = "what it was formed on has other tags"
SAID = (UnitSource.Role.SAID, UnitSource.Role.IN_PART)


def follow_retagged(bank: Bank, unit_ids: Collection[UUID], *, actor: str) -> None:
    """Mental models lose these units as sources. Opinions get the tags that all facts behind their wording share.

    An opinion with words or tags of another origin never becomes visible to new readers, and a tagged opinion never
    loses all its tags. Call inside the tenant transaction that changed the tags, after `lock_memory`.
    """
    mark_sources_lost(bank, unit_ids)
    resting = find_grounds(bank).filter(fact_id__in=unit_ids).values("opinion_id")
    units = MemoryUnit.objects.of_bank(bank).order_by("id")
    opinions = list(units.filter(Q(id__in=resting) | Q(id__in=unit_ids, network=Network.OPINION)))
    grounds = read_grounds(bank, [opinion.id for opinion in opinions])
    present = read_tags(bank, {*grounds, *chain(*grounds.values())})
    former = present | read_former_tags(bank, unit_ids)
    for opinion in opinions:
        ids, own = grounds[opinion.id], present.get(opinion.id, UNTAGGED)
        tags = share_tags(present.get(one, UNTAGGED) for one in ids)
        was_theirs = own == share_tags(former.get(one, UNTAGGED) for one in ids)
        if was_theirs and has_words_of(bank, opinion, ids):
            set_tags(bank, opinion, own, tags or own, actor=actor)
        else:
            set_tags(bank, opinion, own, share_tags((own, tags)), actor=actor)


def read_grounds(bank: Bank, opinion_ids: Sequence[UUID]) -> dict[UUID, set[UUID]]:
    """The existing facts that each opinion was worded from."""
    found: dict[UUID, set[UUID]] = {opinion_id: set() for opinion_id in opinion_ids}
    rows = find_grounds(bank).filter(opinion_id__in=opinion_ids)
    for opinion_id, fact_id in rows.values_list("opinion_id", "fact_id"):
        found[opinion_id].add(fact_id)
    return found


def read_former_tags(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, Tags]:
    """The tags of each unit before its last change."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, before__has_key="tags")
    rows = changes.order_by("changed_at", "id").values_list("unit_id", "before")
    return {unit_id: frozenset(before["tags"]) for unit_id, before in rows}


def find_grounds(bank: Bank) -> RevisionEvidenceQuerySet:
    """Evidence of the revisions that worded an opinion."""
    worded = Q(revision__number=FORMATION) | ~Q(revision__text_before=F("revision__text_after"))
    return RevisionEvidence.objects.of_bank(bank).filter(worded, fact__isnull=False)


def has_words_of(bank: Bank, opinion: MemoryUnit, ground_ids: Collection[UUID]) -> bool:
    """Whether the agent did not say the opinion itself, and the facts cover all words of its wordings and reasons."""
    said = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion, role__in=SAID)
    if not ground_ids or said.exists():
        return False
    facts = MemoryUnit.objects.of_bank(bank).filter(id__in=ground_ids).values_list("text", flat=True)
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion=opinion).values_list("text_after", "reasoning")
    return is_covered(" ".join([opinion.text, *(word for step in steps for word in step)]), list(facts))


def set_tags(bank: Bank, opinion: MemoryUnit, own: Tags, tags: Tags, *, actor: str) -> None:
    """Where another live opinion has the same words and the new tags, this one stays for readers without tags."""
    if tags != own and has_same_words_under(bank, opinion, tags):
        tags = UNDER_SEVERAL
    if tags == own or has_same_words_under(bank, opinion, tags):
        return
    rows = UnitTag.objects.for_tenant(bank.tenant_id)
    rows.filter(unit=opinion).delete()
    rows.bulk_create([UnitTag(unit=opinion, bank_id=bank.id, tag=tag) for tag in sorted(tags)])
    opinion.tags_hash = hash_tags(tags)
    opinion.save(update_fields=["tags_hash"])
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=opinion,
        action=UnitChange.Action.EDITED,
        before={"tags": sorted(own)},
        after={"tags": sorted(tags)},
        actor=actor,
        reason=REASON,
    )


def has_same_words_under(bank: Bank, opinion: MemoryUnit, tags: Tags) -> bool:
    """Whether another live opinion has the same words under these tags."""
    return opinion.expired_at is None and find_with_text(bank, opinion, opinion.text, tags=tags) is not None
