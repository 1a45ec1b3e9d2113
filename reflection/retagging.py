"""Facts that got other tags: opinions whose words came from them follow, and contents that were made from them go."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from django.db.models import F, Q

from banks.models import Bank, MemoryUnit, UnitChange, UnitSource, UnitTag
from banks.retain.prepared import hash_tags
from banks.words import Network
from reflection.mental_models.storing import lose
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.revision_evidence import RevisionEvidenceQuerySet
from reflection.opinions.history.covering import is_covered
from reflection.opinions.history.turning import FORMATION
from reflection.opinions.tagging import UNDER_SEVERAL, UNTAGGED, Tags, read_tags, share_tags

REASON = "what it was formed on has other tags"
TELLING = (UnitSource.Role.SAID, UnitSource.Role.IN_PART)


@dataclass(frozen=True)
class Origin:
    """The tags of an opinion, those that what gave it words had and has, and whether it has no words but these."""

    own: Tags
    former: tuple[Tags, ...]
    present: tuple[Tags, ...]
    has_their_words: bool

    def choose(self) -> Tags:
        """Those that all shares which its words come from. An opinion that has words besides, from where it was said or
        from what its author read, or tags besides, from what its author was asked by, keeps to those who could see it
        already. Never none where it had some.
        """
        if self.has_their_words and self.own == share_tags(self.former):
            return share_tags(self.present) or self.own
        return share_tags((self.own, *self.present))


def follow_retagged(bank: Bank, unit_ids: Collection[UUID], *, actor: str) -> None:
    """Call inside the tenant transaction that changed the tags, after `lock_memory`. What was made from the units as a
    mental model counts as lost from then on.
    """
    lose(bank, unit_ids)
    resting = find_grounds(bank).filter(fact_id__in=unit_ids).values("opinion_id")
    units = MemoryUnit.objects.of_bank(bank).order_by("id")
    opinions = list(units.filter(Q(id__in=resting) | Q(id__in=unit_ids, network=Network.OPINION)))
    grounds = read_grounds(bank, [opinion.id for opinion in opinions])
    present = read_tags(bank, {*grounds, *chain(*grounds.values())})
    former = present | read_former_tags(bank, unit_ids)
    for opinion in opinions:
        ids = grounds[opinion.id]
        origin = Origin(
            own=present.get(opinion.id, UNTAGGED),
            former=tuple(former.get(one, UNTAGGED) for one in ids),
            present=tuple(present.get(one, UNTAGGED) for one in ids),
            has_their_words=has_words_of(bank, opinion, ids),
        )
        wear(bank, opinion, origin, actor=actor)


def read_grounds(bank: Bank, opinion_ids: Sequence[UUID]) -> dict[UUID, set[UUID]]:
    """What gave each opinion words and is there still."""
    found: dict[UUID, set[UUID]] = {opinion_id: set() for opinion_id in opinion_ids}
    rows = find_grounds(bank).filter(opinion_id__in=opinion_ids)
    for opinion_id, fact_id in rows.values_list("opinion_id", "fact_id"):
        found[opinion_id].add(fact_id)
    return found


def read_former_tags(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, Tags]:
    """Those before the last change of each."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, before__has_key="tags")
    rows = changes.order_by("changed_at", "id").values_list("unit_id", "before")
    return {unit_id: frozenset(before["tags"]) for unit_id, before in rows}


def find_grounds(bank: Bank) -> RevisionEvidenceQuerySet:
    """Of the steps that gave an opinion words."""
    worded = Q(revision__number=FORMATION) | ~Q(revision__text_before=F("revision__text_after"))
    return RevisionEvidence.objects.of_bank(bank).filter(worded, fact__isnull=False)


def has_words_of(bank: Bank, opinion: MemoryUnit, ground_ids: Collection[UUID]) -> bool:
    """Whether the grounds have all of its words, of former wordings and of the reasons too, and nobody said it."""
    told = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion, role__in=TELLING)
    if not ground_ids or told.exists():
        return False
    facts = MemoryUnit.objects.of_bank(bank).filter(id__in=ground_ids).values_list("text", flat=True)
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion=opinion).values_list("text_after", "reasoning")
    return is_covered(" ".join([opinion.text, *(word for step in steps for word in step)]), list(facts))


def wear(bank: Bank, opinion: MemoryUnit, origin: Origin, *, actor: str) -> None:
    """Where another live one has its words under the new tags already, that one is seen by them; this one stays for
    those who ask without tags.
    """
    tags = origin.choose()
    if tags != origin.own and is_worn(bank, opinion, tags):
        tags = UNDER_SEVERAL
    if tags == origin.own or is_worn(bank, opinion, tags):
        return
    rows = UnitTag.objects.for_tenant(bank.tenant_id)
    rows.filter(unit=opinion).delete()
    rows.bulk_create([UnitTag(unit=opinion, bank_id=bank.id, tag=tag) for tag in sorted(tags)])
    opinion.tags_hash = hash_tags(tags)
    opinion.save(update_fields=["tags_hash"])
    note(bank, opinion, origin.own, tags, actor=actor)


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
