"""Causal links between ready facts that ended in different chunks: each chunk's own are stored with it."""

from collections.abc import Sequence
from uuid import UUID

from banks.models import Bank, Link, UnitSource
from banks.retain.ready_facts.groups import FactGroup
from banks.retain.types import Cause

Place = tuple[UUID, int | None]  # a chunk, and where the fact begins in it


def link_between_chunks(bank: Bank, groups: Sequence[FactGroup]) -> None:
    """Call inside a tenant transaction, when all facts are stored. To do it again changes nothing."""
    edges = list_edges(groups)
    if not edges:
        return
    units = find_units(bank, {place for source, target, _ in edges for place in (source, target)})
    links = [
        Link(source_id=units[source], target_id=units[target], type=cause.type.value, weight=cause.strength)
        for source, target, cause in edges
        if source in units and target in units and units[source] != units[target]
    ]
    Link.objects.for_tenant(bank.tenant_id).bulk_create(links, ignore_conflicts=True)


def list_edges(groups: Sequence[FactGroup]) -> list[tuple[Place, Place, Cause]]:
    places = {
        number: (group.chunk_id, start)
        for group in groups
        for number, (start, _) in zip(group.places, group.chunk.spans, strict=True)
    }
    return [
        (places[number], places[cause.target], cause)
        for group in groups
        for number, fact in zip(group.places, group.chunk.facts, strict=True)
        for cause in fact.causes
        if cause.target in places and cause.target not in group.places
    ]


def find_units(bank: Bank, places: set[Place]) -> dict[Place, UUID]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk_id__in={chunk_id for chunk_id, _ in places})
    return {(chunk_id, start): unit_id for chunk_id, start, unit_id in rows.values_list("chunk_id", "start", "unit_id")}
