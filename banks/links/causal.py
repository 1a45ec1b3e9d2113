"""Causal links, as the engine read them: each points from a fact to another of the same passage."""

from collections.abc import Sequence
from uuid import UUID

from banks.models import Bank, Link
from banks.retain.types import ExtractedFact


def link_by_cause(bank: Bank, facts: Sequence[ExtractedFact], unit_ids: Sequence[UUID]) -> int:
    """Call inside a tenant transaction with one unit for each fact, in order."""
    rows = {
        (unit_ids[place], unit_ids[cause.target], cause.type): cause.strength
        for place, fact in enumerate(facts)
        for cause in fact.causes
        if unit_ids[place] != unit_ids[cause.target]  # two facts may turn out to be one unit
    }
    links = [
        Link(source_id=source, target_id=target, type=cause_type.value, weight=strength)
        for (source, target, cause_type), strength in rows.items()
    ]
    Link.objects.for_tenant(bank.tenant_id).bulk_create(links, ignore_conflicts=True)
    return len(links)
