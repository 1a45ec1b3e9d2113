"""Closing a memory by hand: it is no longer so, or it never was."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.entities.outdated import forget_descriptions
from banks.errors import MemoryInvalid, MemoryState
from banks.lifecycle.announced.announce import take_back, take_back_never_so
from banks.lifecycle.announced.gaps import close_gaps
from banks.lifecycle.announced.relationships import take_back_ends_never_so, take_back_ends_told_by
from banks.lifecycle.observed import follow_closed_facts
from banks.models import Bank, Corpus, MemoryUnit, Relationship, RelationshipSource, UnitChange
from banks.text_index.write import retire_texts
from banks.words import Kind


@dataclass(frozen=True)
class Invalidation:
    """`reason` is update (it was so, and is no more) or correction (it never was so)."""

    reason: str
    valid_until: datetime | None = None
    explanation: str = ""
    actor: str = ""


def invalidate_unit(bank: Bank, unit: MemoryUnit, invalidation: Invalidation) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with the row as it is now."""
    if unit.expired_at is not None:
        raise MemoryState("The memory is closed already.")
    now = timezone.now()
    close_gaps(bank, find_never_so(bank, unit, invalidation, now=now), now=now, actor=invalidation.actor)
    if unit.announced_at is not None:
        take_back(bank, unit, actor=invalidation.actor)
    before = unit.valid_until
    unit.valid_until = choose_end(unit, invalidation, now=now)
    unit.expired_at, unit.close_reason = now, invalidation.reason
    unit.save(update_fields=["valid_until", "expired_at", "close_reason", "updated_at"])
    retire_texts(bank, Corpus.UNIT, [unit.id])
    ended = close_relationships(bank, unit)
    forget_descriptions(bank, unit, networks=[unit.network], relationships=ended)
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=unit,
        action=UnitChange.Action.INVALIDATED,
        before={"valid_until": describe(before)},
        after={"valid_until": describe(unit.valid_until), "close_reason": unit.close_reason},
        actor=invalidation.actor,
        reason=invalidation.explanation,
    )
    follow_closed_facts(bank, [unit.id], actor=invalidation.actor, now=now)
    take_back_never_so(bank, [unit.id], now=now, actor=invalidation.actor)
    take_back_ends_never_so(bank, [row.id for row in ended], now=now)
    take_back_ends_told_by(bank, [unit.id])


def choose_end(unit: MemoryUnit, invalidation: Invalidation, *, now: datetime) -> datetime | None:
    """A dated event stays what happened then, and what never was has no end: neither gets one by itself."""
    if invalidation.valid_until is not None:
        if unit.valid_from is not None and invalidation.valid_until < unit.valid_from:
            raise MemoryInvalid("It can't have ended before it began.")
        return invalidation.valid_until
    if unit.kind == Kind.EVENT or invalidation.reason == MemoryUnit.CloseReason.CORRECTION:
        return unit.valid_until
    return max(now, unit.valid_from or now)


def close_relationships(bank: Bank, unit: MemoryUnit) -> list[Relationship]:
    """Those that no other live unit tells end with it. They share its `expired_at`, by which `restore` finds them."""
    told = find_told_alone(bank, unit)
    rows = list(Relationship.objects.for_tenant(bank.tenant_id).current().filter(id__in=told))
    for row in rows:
        if unit.close_reason == MemoryUnit.CloseReason.UPDATE and row.valid_until is None:
            row.valid_until = unit.valid_until if begins_before(row, unit.valid_until) else None
        row.expired_at, row.close_reason = unit.expired_at, unit.close_reason
    Relationship.objects.for_tenant(bank.tenant_id).bulk_update(rows, ["valid_until", "expired_at", "close_reason"])
    retire_texts(bank, Corpus.RELATIONSHIP, [row.id for row in rows])
    return rows


def find_never_so(bank: Bank, unit: MemoryUnit, invalidation: Invalidation, *, now: datetime) -> set[UUID]:
    """The relationships that go with it and never were so, or have not begun."""
    told = find_told_alone(bank, unit)
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(id__in=told)
    if invalidation.reason != MemoryUnit.CloseReason.CORRECTION:
        rows = rows.filter(valid_from__gt=now)
    return set(rows.values_list("id", flat=True))


def begins_before(row: Relationship, end: datetime | None) -> bool:
    return end is not None and (row.valid_from is None or row.valid_from <= end)


def find_told_alone(bank: Bank, unit: MemoryUnit) -> set[UUID]:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    told = set(sources.filter(unit=unit).values_list("relationship_id", flat=True))
    others = sources.filter(relationship_id__in=told, unit__expired_at=None).exclude(unit=unit)
    return told - set(others.values_list("relationship_id", flat=True))


def describe(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
