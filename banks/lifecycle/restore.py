"""Undoing the end of a memory."""

from datetime import datetime

from django.utils import timezone

from banks.entities.outdated import forget_descriptions
from banks.errors import MemoryExists, MemoryState
from banks.lifecycle.announced.announce import take_back
from banks.lifecycle.announced.announce_again import announce_again
from banks.lifecycle.ends import describe_end, find_former_end
from banks.models import Bank, Corpus, MemoryUnit, Relationship, RelationshipSource, UnitChange
from banks.text_index.write import revive_texts

REOPENED = ("expired_at", "announced_at", "close_reason", "superseded_by")


def restore_unit(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> None:
    """Of one that is open yet, its announced end is undone. Call inside a tenant transaction, after `lock_memory`, with
    the row as it is now.
    """
    if unit.expired_at is None and unit.announced_at is not None:
        take_back(bank, unit, actor=actor, reason=reason)
        return
    if unit.expired_at is None:
        raise MemoryState("The memory is not closed.")
    check_not_said_again(bank, unit)
    before = describe_end(unit)
    closed_at, ended_at = unit.expired_at, unit.valid_until
    unit.valid_until = find_former_end(bank, unit)
    unit.expired_at, unit.announced_at, unit.close_reason, unit.superseded_by = None, None, "", None
    unit.save(update_fields=["valid_until", *REOPENED, "updated_at"])
    revive_texts(bank, Corpus.UNIT, [unit.id])
    reopened = reopen_relationships(bank, unit, closed_at, ended_at)
    forget_descriptions(bank, unit, networks=[unit.network], relationships=reopened)
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=unit, action=UnitChange.Action.RESTORED, before=before, after={}, actor=actor, reason=reason
    )
    announce_again(bank, unit, reopened, now=timezone.now(), actor=actor)


def check_not_said_again(bank: Bank, unit: MemoryUnit) -> None:
    live = MemoryUnit.objects.of_bank(bank).current().filter(network=unit.network)
    same = live.filter(content_hash=bytes(unit.content_hash), tags_hash=bytes(unit.tags_hash))
    if (other := same.first()) is not None:
        raise MemoryExists(other.id)


def reopen_relationships(
    bank: Bank, unit: MemoryUnit, closed_at: datetime, ended_at: datetime | None
) -> list[Relationship]:
    """Those that ended in the same step, unless another has their place by now."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    ended = rows.filter(id__in=sources.values("relationship_id"), expired_at=closed_at)
    return [row for row in ended if reopen_relationship(bank, row, without_end=row.valid_until == ended_at)]


def reopen_relationship(bank: Bank, row: Relationship, *, without_end: bool) -> bool:
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    held = rows.current().filter(
        subject_id=row.subject_id, relation=row.relation, object_id=row.object_id, value=row.value
    )
    if held.exists():
        return False
    row.valid_until = None if without_end else row.valid_until
    row.expired_at, row.announced_at, row.close_reason, row.superseded_by = None, None, "", None
    row.save(update_fields=["valid_until", *REOPENED])
    revive_texts(bank, Corpus.RELATIONSHIP, [row.id])
    return True
