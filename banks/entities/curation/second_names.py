"""Names of an entity that the text of a unit has beside the one under which the unit mentions it.

A unit mentions an entity once. Where it names two that were merged, only its text still tells of the second name.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, MemoryUnit, Mention


@dataclass(frozen=True)
class SecondName:
    unit_id: UUID
    name: str


def find_second_names(bank: Bank, names: Collection[str], unit_ids: Collection[UUID]) -> tuple[SecondName, ...]:
    """One at most for each of the units. Call inside a tenant transaction."""
    if not names or not unit_ids:
        return ()
    has_any = Q()
    for name in names:
        has_any |= Q(text__icontains=name)
    units = MemoryUnit.objects.of_bank(bank).filter(has_any, id__in=unit_ids).order_by("id")
    texts = dict(units.values_list("id", "text"))
    mentioned = read_mentioned(bank, texts)
    found = {unit_id: find_name(text, names, mentioned[unit_id]) for unit_id, text in texts.items()}
    return tuple(SecondName(unit_id, name) for unit_id, name in found.items() if name)


def read_mentioned(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, set[str]]:
    mentioned: defaultdict[UUID, set[str]] = defaultdict(set)
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, name in rows.values_list("unit_id", "name"):
        mentioned[unit_id].add(name)
    return mentioned


def find_name(text: str, names: Collection[str], mentioned: Collection[str]) -> str | None:
    """The first of them that stands by itself: the Bob of Bob Smith is no Bob."""
    known = {name.casefold() for name in mentioned}
    sought = {name.casefold(): name for name in names if name.casefold() not in known}
    longest_first = sorted({*names, *mentioned}, key=lambda name: (-len(name), name))
    either = "|".join(map(re.escape, longest_first))
    written = re.findall(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE)
    return next((sought[name.casefold()] for name in written if name.casefold() in sought), None)
