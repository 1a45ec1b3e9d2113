"""Memories of which a source told only a part: what it says of itself, it does not say of the whole."""

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import TypeAlias
from uuid import UUID

from django.db.models import Q

from banks.lifecycle.prove import HEARD
from banks.lifecycle.wording import weighty_words
from banks.models import Bank, UnitChange, UnitSource

Words: TypeAlias = tuple[str, ...]

MOST_QUOTES = 1_000  # of all those memories, the newest: what is told that often was told in full among them


def find_told_in_part(bank: Bank, unit_ids: Collection[UUID], of_source: Q) -> set[UUID]:
    """Of the memories that rest on the source. Call inside a tenant transaction, when all is stored.

    A ready fact is the part as it stands. Facts that were taken from what was said have other words than that; then
    what was said is a part of what another source said.
    """
    parts = read_parts(bank, unit_ids)
    if not parts:
        return set()
    told = read_quotes(bank, Q(of_source, unit_id__in=parts.keys()))
    quotes = read_quotes(bank, Q(unit_id__in=parts.keys()))
    return {
        unit_id
        for unit_id, own in told.items()
        if all(one in parts[unit_id] or any(is_part(one, whole) for whole in quotes[unit_id]) for one in own)
    }


def read_parts(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, set[Words]]:
    """What they were told as in fewer words than theirs, before they had these or since."""
    merged = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, action=UnitChange.Action.MERGED)
    found: dict[UUID, set[Words]] = defaultdict(set)
    for unit_id, text, before, after in merged.values_list("unit_id", "unit__text", "before", "after"):
        told = weighty_words(before.get("text") or after.get(HEARD, ""))
        if is_part(told, weighty_words(text)):
            found[unit_id].add(told)
    return found


def read_quotes(bank: Bank, wanted: Q) -> dict[UUID, set[Words]]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(wanted).exclude(message=None, chunk=None)
    found: dict[UUID, set[Words]] = defaultdict(set)
    for row in rows.select_related("message", "chunk").order_by("-id")[:MOST_QUOTES]:
        whole = row.message.content if row.message else row.chunk.text if row.chunk else ""
        found[row.unit_id].add(weighty_words(whole[row.start or 0 : row.end or None]))
    return found


def is_part(told: Words, whole: Words) -> bool:
    """Some of its words and no others. Whether it tells the same was decided when it was stored."""
    return bool(told) and Counter(told) < Counter(whole)
