"""An announcement that is restored ends again what it was to end, and ends when it was to end itself."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from banks.lifecycle.close import close_units
from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource, UnitChange
from banks.models.relationship import RelationshipQuerySet
from banks.retain.relationships.relations import holds_one_value
from banks.retain.relationships.units_of_one_relationship import find_units_that_told_only_it
from banks.retain.relationships.write_ends import Over, write_ends


def announce_again(
    bank: Bank, unit: MemoryUnit, reopened: Sequence[Relationship], *, now: datetime, actor: str
) -> None:
    """Only what the history of units tells to have been announced: a beginning may stand beside what else is so.

    `reopened` are the relationships that the restored unit tells. Call inside a tenant transaction, after
    `lock_memory`.
    """
    over = [
        one
        for row in reopened
        if row.valid_from and row.valid_from > now and holds_one_value(row.relation)
        for one in (*find_ended_by(bank, unit, row, row.valid_from), *find_own_end(bank, unit, row, row.valid_from))
    ]
    if over:
        write_ends(bank, over, now=now)
        close_units(bank, find_units_that_told_only_it(bank, over), now=now, actor=actor)


def find_ended_by(bank: Bank, unit: MemoryUnit, row: Relationship, since: datetime) -> Iterator[Over]:
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(action=UnitChange.Action.ANNOUNCED)
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    for other in find_others(bank, row):
        tellers = sources.filter(relationship=other, unit__expired_at=None).values("unit_id")
        was_to_end = changes.filter(unit_id__in=tellers, after__superseded_by=str(unit.id))
        if (other.valid_from or other.mentioned_at) < since and was_to_end.exists():
            yield Over(other.id, other.text, since, row.id, unit.id)


def find_own_end(bank: Bank, unit: MemoryUnit, row: Relationship, since: datetime) -> Iterator[Over]:
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit, action=UnitChange.Action.ANNOUNCED)
    last = changes.order_by("-changed_at", "-id").first()
    if last is None or not last.after.get("superseded_by"):
        return
    successor_id = UUID(last.after["superseded_by"])
    told = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id=successor_id, unit__expired_at=None)
    following = find_others(bank, row).filter(id__in=told.values("relationship_id"), valid_from__gt=since)
    if (later := following.order_by("valid_from", "id").first()) and later.valid_from:
        yield Over(row.id, row.text, later.valid_from, later.id, successor_id)


def find_others(bank: Bank, row: Relationship) -> RelationshipQuerySet:
    held = Relationship.objects.for_tenant(bank.tenant_id).current().defer("embedding").exclude(id=row.id)
    return held.filter(subject_id=row.subject_id, relation=row.relation).order_by("id")
