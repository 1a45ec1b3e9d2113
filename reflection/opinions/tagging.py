"""Under which tags an opinion is held: whoever could see one forming of it sees it, and nobody else does."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank, MemoryUnit, UnitTag
from retrieval.filters.tags import FORMED_UNDER_SEVERAL

Tags = frozenset[str]
UNTAGGED: Tags = frozenset()
UNDER_SEVERAL: Tags = frozenset({FORMED_UNDER_SEVERAL})  # nobody asks for it; who asks without tags sees it


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


def uses_tags(bank: Bank) -> bool:
    """Call inside a tenant transaction."""
    return UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id).exists()


def read_own_tags(bank: Bank, unit: MemoryUnit) -> Tags:
    return read_tags(bank, [unit.id]).get(unit.id, UNTAGGED)


def share_tags(worn: Iterable[Tags]) -> Tags:
    """Of what rests on all of these: who sees it by one of its tags must see each of them. All see what has none."""
    tagged = [tags for tags in worn if tags]
    if not tagged:
        return UNTAGGED
    return frozenset.intersection(*tagged) or UNDER_SEVERAL


def may_read(reader: Tags, said: Tags) -> bool:
    """Whether all who see what has the tags `reader` see what was said under the tags `said`: by each of the tags."""
    return not said or (bool(reader) and reader <= said)
