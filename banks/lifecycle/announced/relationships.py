"""Relationships whose end lies ahead follow the units that tell them, and what is to take their place."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from banks.models.relationship import RelationshipQuerySet


def take_back_ends_with(bank: Bank, unit: MemoryUnit, until: datetime | None) -> None:
    """Those that were to end with the unit."""
    give_back(find_announced_by(bank, unit).filter(valid_until=until))


def take_back_ends_resting_on(bank: Bank, relationship_ids: Collection[UUID]) -> None:
    """Those that were to end when one of these began. Call before these are deleted."""
    rows = Relationship.objects.for_tenant(bank.tenant_id).announced()
    give_back(rows.filter(superseded_by__in=relationship_ids))


def take_back_ends_never_so(bank: Bank, relationship_ids: Collection[UUID], *, now: datetime) -> None:
    """Likewise, of those that were closed now, for what never began or never was so."""
    if relationship_ids:
        corrected = Q(superseded_by__close_reason=Relationship.CloseReason.CORRECTION)
        rows = Relationship.objects.for_tenant(bank.tenant_id).announced().filter(superseded_by__in=relationship_ids)
        give_back(rows.filter(corrected | Q(superseded_by__valid_from__gt=now)))


def take_back_ends_told_by(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Those that nothing was to take the place of, only said to be over on a day ahead, where these said so: what a
    unit announced has the moment from it.
    """
    tellings = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        unit_id__in=unit_ids, relationship__expired_at=None, relationship__announced_at__isnull=False
    )
    rows = tellings.values_list("relationship_id", "relationship__announced_at", "unit__recorded_at")
    told = [relationship_id for relationship_id, announced_at, recorded_at in rows if announced_at == recorded_at]
    if told:
        announced = Relationship.objects.for_tenant(bank.tenant_id).announced()
        give_back(announced.filter(id__in=told, superseded_by=None))


def give_back(rows: RelationshipQuerySet) -> None:
    """An end that one was told with is not known any more, as after a restoration."""
    rows.update(valid_until=None, announced_at=None, superseded_by=None)


def find_other_teller(bank: Bank, unit: MemoryUnit, *, besides: Collection[UUID]) -> UUID | None:
    """A live unit that tells what takes the place of what this one tells."""
    coming = find_announced_by(bank, unit).filter(valid_until=unit.valid_until, superseded_by__expired_at=None)
    tellings = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        relationship__in=coming.exclude(superseded_by=None).values("superseded_by_id"), unit__expired_at=None
    )
    others = tellings.exclude(unit_id__in=[*besides, unit.id]).order_by("-unit__mentioned_at", "unit_id")
    return others.values_list("unit_id", flat=True).first()


def find_announced_by(bank: Bank, unit: MemoryUnit) -> RelationshipQuerySet:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    return Relationship.objects.for_tenant(bank.tenant_id).announced().filter(id__in=sources.values("relationship_id"))
