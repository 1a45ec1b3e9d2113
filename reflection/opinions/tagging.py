"""Under which tags an opinion is held: whoever could see one forming of it sees it, and nobody else does."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from banks.models import Bank, MemoryUnit, UnitChange, UnitTag
from banks.retain.prepared import hash_tags

Tags = frozenset[str]
UNTAGGED: Tags = frozenset()
UNDER_SEVERAL: Tags = frozenset({"formed:under-several-tags"})  # nobody asks for it; who asks without tags sees it


class Reason(StrEnum):
    SAID_AGAIN = "said again under other tags"
    WENT_BACK = "its text went back"


@dataclass(frozen=True)
class Said:
    """Words, and the tags under which they were said: of a telling, or of the facts that they rest on."""

    text: str
    tags: Tags = UNTAGGED


def read_tags(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, Tags]:
    """Of those that have any. Call inside a tenant transaction."""
    found: dict[UUID, Tags] = {}
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, tag in rows.values_list("unit_id", "tag"):
        found[unit_id] = found.get(unit_id, UNTAGGED) | {tag}
    return found


def read_own_tags(bank: Bank, unit: MemoryUnit) -> Tags:
    return read_tags(bank, [unit.id]).get(unit.id, UNTAGGED)


def share_tags(worn: Iterable[Tags]) -> Tags:
    """Of what rests on all of these: who sees it by one of its tags must see each of them. All see what has none."""
    tagged = [tags for tags in worn if tags]
    if not tagged:
        return UNTAGGED
    return frozenset.intersection(*tagged) or UNDER_SEVERAL


def join_tags(held: Tags, said: Tags) -> Tags:
    """Of what was formed twice in the same words. Without tags it may be seen by all."""
    return held | said if held and said else UNTAGGED


def may_read(reader: Tags, said: Tags) -> bool:
    """Whether all who see what has the tags `reader` see what was said under the tags `said`: by each of the tags."""
    return not said or (bool(reader) and reader <= said)


def widen(bank: Bank, opinion: MemoryUnit, said: Tags, *, actor: str) -> None:
    """It was formed in the words that it has under these tags, too. Call inside a tenant transaction, after
    `lock_memory`.
    """
    own = read_own_tags(bank, opinion)
    wear(bank, opinion, own, join_tags(own, said), Reason.SAID_AGAIN, actor=actor)


def narrow(bank: Bank, opinion: MemoryUnit, *, actor: str) -> None:
    """It has words of before again, which nobody may have said under the tags that came since. Call inside a tenant
    transaction, after `lock_memory`. What a person tagged stays as it is.
    """
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=opinion, before__has_key="tags")
    reasons = list(changes.order_by("changed_at", "id").values_list("reason", "before"))
    if reasons and reasons[-1][0] == Reason.SAID_AGAIN:
        first = next(before["tags"] for reason, before in reasons if reason == Reason.SAID_AGAIN)
        wear(bank, opinion, read_own_tags(bank, opinion), frozenset(first), Reason.WENT_BACK, actor=actor)


def wear(bank: Bank, opinion: MemoryUnit, own: Tags, tags: Tags, reason: Reason, *, actor: str) -> None:
    """Rows and hash together, and a row that says so.

    Where another live one has the same words under these tags, that one is seen by them, and this one stays.
    """
    rows = UnitTag.objects.for_tenant(bank.tenant_id)
    wanted = hash_tags(tags)
    others = MemoryUnit.objects.of_bank(bank).current().exclude(id=opinion.id)
    same = others.filter(network=opinion.network, content_hash=bytes(opinion.content_hash), tags_hash=wanted)
    if own == tags or (opinion.expired_at is None and same.exists()):
        return
    rows.filter(unit=opinion, tag__in=own - tags).delete()
    rows.bulk_create([UnitTag(unit=opinion, bank_id=bank.id, tag=tag) for tag in sorted(tags - own)])
    opinion.tags_hash = wanted
    opinion.save(update_fields=["tags_hash"])
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=opinion,
        action=UnitChange.Action.EDITED,
        before={"tags": sorted(own)},
        after={"tags": sorted(tags)},
        actor=actor,
        reason=reason,
    )
