"""A beginning that was announced and is not to be leaves no gap: what it was to end ends with what follows it, or goes
on.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from banks.lifecycle.announced.announce import announce_ends, take_back
from banks.lifecycle.announced.relationships import give_back
from banks.lifecycle.closings import Closing
from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from banks.models.unit import UnitQuerySet
from banks.retain.relationships.tellers import read_tellers
from banks.retain.relationships.write_ends import Over


def close_gaps(bank: Bank, going_ids: Collection[UUID], *, now: datetime, actor: str) -> list[Over]:
    """`going_ids` are relationships that are not to begin. Returns the ends that others have by now.

    Call before they go, inside a tenant transaction, after `lock_memory`.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    resting = rows.announced().filter(superseded_by__in=going_ids).exclude(id__in=going_ids)
    waiting = list(resting.defer("embedding").order_by("id")) if going_ids else []
    if not waiting:
        return []
    units = find_units_waiting(bank, waiting, going_ids)
    moved = find_moved(bank, waiting, going_ids)
    for unit, _ in units:
        take_back(bank, unit, actor=actor)
    give_back(rows.filter(id__in=[row.id for row in waiting]))
    for one in moved:
        rows.filter(id=one.relationship_id).update(
            valid_until=one.since, superseded_by_id=one.successor_id, announced_at=now
        )
    closings = [
        Closing(unit.id, one.teller_id, one.since)
        for unit, relationship_id in units
        for one in moved
        if one.relationship_id == relationship_id and one.teller_id
    ]
    announce_ends(bank, closings, now=now, actor=actor)
    return moved


def find_units_waiting(
    bank: Bank, waiting: Sequence[Relationship], going_ids: Collection[UUID]
) -> list[tuple[MemoryUnit, UUID]]:
    """Units that were to end with one of these relationships, each with that."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    tellers = sources.filter(relationship_id__in=going_ids)
    told = sources.filter(relationship_id__in=[row.id for row in waiting]).order_by("unit_id")
    ends = {row.id: row.valid_until for row in waiting}
    rows = find_announced_among(bank, told.values_list("unit_id", flat=True))
    units = {unit.id: unit for unit in rows.filter(superseded_by__in=tellers.values("unit_id"))}
    found = {
        unit_id: relationship_id
        for unit_id, relationship_id in told.values_list("unit_id", "relationship_id")
        if unit_id in units and units[unit_id].valid_until == ends[relationship_id]
    }
    return [(units[unit_id], relationship_id) for unit_id, relationship_id in found.items()]


def find_announced_among(bank: Bank, unit_ids: Collection[UUID]) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).announced().filter(id__in=unit_ids).defer("embedding")


def find_moved(bank: Bank, waiting: Sequence[Relationship], going_ids: Collection[UUID]) -> list[Over]:
    """Those of these that end with what was to follow the ones that go."""
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(id__in=going_ids).defer("embedding")
    going = {row.id: row for row in rows}
    last = {row.id: find_last(row, going) for row in waiting}
    tellers = read_tellers(bank, {row.superseded_by_id for row in last.values() if row and row.superseded_by_id})
    return [
        Over(row.id, row.text, end.valid_until, end.superseded_by_id, tellers.get(end.superseded_by_id))
        for row in waiting
        if (end := last[row.id]) and end.valid_until and end.superseded_by_id
    ]


def find_last(row: Relationship, going: dict[UUID, Relationship]) -> Relationship | None:
    """The last one that goes, of those that follow each other. What nothing follows leaves an end to nobody."""
    found, seen = None, {row.id}
    ahead = row.superseded_by_id
    while ahead in going and ahead not in seen:
        seen.add(ahead)
        found, ahead = going[ahead], going[ahead].superseded_by_id
    return found
