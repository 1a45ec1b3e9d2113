"""What goes on because that which was to end it is called off."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import F

from banks.errors import MemoryExists
from banks.lifecycle.announced.announce import take_back
from banks.lifecycle.announced.relationships import give_back
from banks.lifecycle.restore import reopen_relationship, restore_unit
from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from banks.retain.relationships.told_relationship import Told


def end_nothing_more(bank: Bank, row: Relationship, denied: Told, *, actor: str) -> None:
    """Its end was announced by itself, and goes by itself. What was announced after that is not denied."""
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship=row)
    since = rows.filter(unit__mentioned_at__gt=denied.mentioned_at).values_list("unit__recorded_at", flat=True)
    if row.announced_at in set(since):
        return
    units = MemoryUnit.objects.of_bank(bank).announced().filter(id__in=rows.values("unit_id"))
    for unit in units.filter(valid_until=row.valid_until).defer("embedding").order_by("id"):
        take_back(bank, unit, actor=actor)
    give_back(Relationship.objects.for_tenant(bank.tenant_id).filter(id=row.id))


def go_on(bank: Bank, going: Sequence[Relationship], denied: Told, *, actor: str) -> None:
    """Opens what was closed when these began, on days that are over. What follows them has that place, where anything
    does.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    by_id = {row.id: row for row in going}
    closed = rows.filter(
        superseded_by__in=by_id,
        close_reason=Relationship.CloseReason.UPDATE,
        valid_until=F("superseded_by__valid_from"),
    )
    for row in closed.defer("embedding").exclude(id__in=by_id).order_by("id"):
        successor = by_id[row.superseded_by_id] if row.superseded_by_id else None
        if successor and successor.superseded_by_id and successor.superseded_by_id not in by_id:
            rows.filter(id=row.id).update(
                valid_until=successor.valid_until, superseded_by_id=successor.superseded_by_id
            )
        else:
            reopen(bank, row, list(by_id), actor=actor)
            prove(bank, row, denied)


def reopen(bank: Bank, row: Relationship, going_ids: Sequence[UUID], *, actor: str) -> None:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    tellers = sources.filter(relationship_id__in=going_ids).values("unit_id")
    told = sources.filter(relationship=row).values("unit_id")
    ended = MemoryUnit.objects.of_bank(bank).filter(
        id__in=told, superseded_by__in=tellers, close_reason=MemoryUnit.CloseReason.UPDATE, valid_until=row.valid_until
    )
    for unit in ended.defer("embedding").order_by("id"):
        try:
            restore_unit(bank, unit, actor=actor)
        except MemoryExists:
            continue
    row.refresh_from_db()
    if row.expired_at is not None:
        reopen_relationship(bank, row, without_end=True)


def prove(bank: Bank, row: Relationship, denied: Told) -> None:
    """Who says that it stays tells it once more."""
    if row.expired_at is None and denied.key == (row.subject_id, row.relation, row.object_id, row.value):
        sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
        _, is_new = sources.get_or_create(relationship=row, unit_id=denied.unit_id)
        rows = Relationship.objects.for_tenant(bank.tenant_id).filter(id=row.id, mentioned_at__lt=denied.mentioned_at)
        if is_new:
            rows.update(proof_count=F("proof_count") + 1, mentioned_at=denied.mentioned_at)
