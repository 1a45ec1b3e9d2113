"""Invalidating a memory by hand, and restoring it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.entities.descriptions import forget_descriptions
from banks.enums import Kind
from banks.errors import MemoryExists, MemoryInvalid, MemoryState
from banks.lifecycle.closing import Closed, cancel_ends_by_unbegun, cancel_scheduled_end
from banks.lifecycle.history import describe_end, find_former_end, write_moment
from banks.lifecycle.observations import follow_closed_facts
from banks.models import Bank, Corpus, MemoryUnit, Relationship, RelationshipSource, UnitChange
from banks.text_index.write import retire_texts, revive_texts


@dataclass(frozen=True)
class Invalidation:
    """`reason` is update (the memory was true) or correction (it never was)."""

    reason: str
    valid_until: datetime | None = None
    explanation: str = ""
    actor: str = ""


def invalidate_unit(bank: Bank, unit: MemoryUnit, invalidation: Invalidation) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with a fresh row."""
    if unit.expired_at is not None:
        raise MemoryState("The memory is closed already.")
    now = timezone.now()
    if unit.valid_until is not None and unit.superseded_by_id is not None:
        cancel_scheduled_end(bank, unit, actor=invalidation.actor)
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
        before={"valid_until": write_moment(before)},
        after={"valid_until": write_moment(unit.valid_until), "close_reason": unit.close_reason},
        actor=invalidation.actor,
        reason=invalidation.explanation,
    )
    follow_closed_facts(bank, [unit.id], actor=invalidation.actor, now=now)
    closed = Closed((unit.id,), tuple(row.id for row in ended))
    cancel_ends_by_unbegun(bank, closed, now=now, actor=invalidation.actor)


def choose_end(unit: MemoryUnit, invalidation: Invalidation, *, now: datetime) -> datetime | None:
    """A dated event and a correction keep their end, unless the caller gives one."""
    if invalidation.valid_until is not None:
        if unit.valid_from is not None and invalidation.valid_until < unit.valid_from:
            raise MemoryInvalid("The memory can't end before it began.")
        return invalidation.valid_until
    if unit.kind == Kind.EVENT or invalidation.reason == MemoryUnit.CloseReason.CORRECTION:
        return unit.valid_until
    return max(now, unit.valid_from or now)


def close_relationships(bank: Bank, unit: MemoryUnit) -> list[Relationship]:
    """Close the relationships that no other open unit states. They get the unit's `expired_at`: `restore` finds them
    by it.
    """
    stated_alone = find_stated_alone(bank, unit)
    rows = list(Relationship.objects.for_tenant(bank.tenant_id).current().filter(id__in=stated_alone))
    for row in rows:
        if unit.close_reason == MemoryUnit.CloseReason.UPDATE and row.valid_until is None:
            row.valid_until = unit.valid_until if begins_before(row, unit.valid_until) else None
        row.expired_at, row.close_reason = unit.expired_at, unit.close_reason
    Relationship.objects.for_tenant(bank.tenant_id).bulk_update(rows, ["valid_until", "expired_at", "close_reason"])
    retire_texts(bank, Corpus.RELATIONSHIP, [row.id for row in rows])
    return rows


def begins_before(row: Relationship, end: datetime | None) -> bool:
    return end is not None and (row.valid_from is None or row.valid_from <= end)


def find_stated_alone(bank: Bank, unit: MemoryUnit) -> set[UUID]:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    stated = set(sources.filter(unit=unit).values_list("relationship_id", flat=True))
    others = sources.filter(relationship_id__in=stated, unit__expired_at=None).exclude(unit=unit)
    return stated - set(others.values_list("relationship_id", flat=True))


REOPENED = ("expired_at", "close_reason", "superseded_by")


def restore_unit(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> None:
    """Reopen a closed unit, or cancel the scheduled end of an open one. Call inside a tenant transaction, after
    `lock_memory`, with a fresh row.
    """
    if unit.expired_at is None and unit.superseded_by_id is not None:
        cancel_scheduled_end(bank, unit, actor=actor, reason=reason)
        return
    if unit.expired_at is None:
        raise MemoryState("The memory is not closed.")
    check_identity_is_free(bank, unit)
    before = describe_end(unit)
    closed_at, ended_at = unit.expired_at, unit.valid_until
    unit.valid_until = find_former_end(bank, unit)
    unit.expired_at, unit.close_reason, unit.superseded_by = None, "", None
    unit.save(update_fields=["valid_until", *REOPENED, "updated_at"])
    revive_texts(bank, Corpus.UNIT, [unit.id])
    reopened = reopen_relationships(bank, unit, closed_at, ended_at)
    forget_descriptions(bank, unit, networks=[unit.network], relationships=reopened)
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=unit, action=UnitChange.Action.RESTORED, before=before, after={}, actor=actor, reason=reason
    )


def check_identity_is_free(bank: Bank, unit: MemoryUnit) -> None:
    """Raises MemoryExists if another open unit has the same network, words and tags."""
    others = MemoryUnit.objects.of_bank(bank).filter(expired_at=None, network=unit.network).exclude(id=unit.id)
    same = others.filter(content_hash=bytes(unit.content_hash), tags_hash=bytes(unit.tags_hash))
    if (other := same.first()) is not None:
        raise MemoryExists(other.id)


def reopen_relationships(
    bank: Bank, unit: MemoryUnit, closed_at: datetime, ended_at: datetime | None
) -> list[Relationship]:
    """Reopen the relationships that ended in the same step, unless another unit has stated them since."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    ended = rows.filter(id__in=sources.values("relationship_id"), expired_at=closed_at)
    return [row for row in ended if reopen_relationship(bank, row, without_end=row.valid_until == ended_at)]


def reopen_relationship(bank: Bank, row: Relationship, *, without_end: bool) -> bool:
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    held = rows.filter(
        expired_at=None,
        subject_id=row.subject_id,
        relation=row.relation,
        object_id=row.object_id,
        value=row.value,
    )
    if held.exists():
        return False
    row.valid_until = None if without_end else row.valid_until
    row.expired_at, row.close_reason, row.superseded_by = None, "", None
    row.save(update_fields=["valid_until", *REOPENED])
    revive_texts(bank, Corpus.RELATIONSHIP, [row.id])
    return True
