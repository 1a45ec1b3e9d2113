"""Undoing the end of a memory."""

from datetime import datetime

from banks.entities.outdated import forget_descriptions
from banks.errors import MemoryExists, MemoryState
from banks.models import Bank, Corpus, MemoryUnit, Relationship, RelationshipSource, UnitChange
from banks.text_index.write import revive_texts


def restore_unit(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> None:
    """Call inside a tenant transaction, after `lock_memory`, with the row as it is now."""
    if unit.expired_at is None:
        raise MemoryState("The memory is not closed.")
    check_not_said_again(bank, unit)
    before = describe_end(unit)
    closed_at, ended_at = unit.expired_at, unit.valid_until
    unit.valid_until = find_former_end(bank, unit)
    unit.expired_at, unit.close_reason, unit.superseded_by = None, "", None
    unit.save(update_fields=["valid_until", "expired_at", "close_reason", "superseded_by", "updated_at"])
    revive_texts(bank, Corpus.UNIT, [unit.id])
    reopened = reopen_relationships(bank, unit, closed_at, ended_at)
    forget_descriptions(bank, unit, networks=[unit.network], relationships=reopened)
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=unit, action=UnitChange.Action.RESTORED, before=before, after={}, actor=actor, reason=reason
    )


def check_not_said_again(bank: Bank, unit: MemoryUnit) -> None:
    live = MemoryUnit.objects.of_bank(bank).current().filter(network=unit.network)
    same = live.filter(content_hash=bytes(unit.content_hash), tags_hash=bytes(unit.tags_hash))
    if (other := same.first()) is not None:
        raise MemoryExists(other.id)


def describe_end(unit: MemoryUnit) -> dict[str, str | None]:
    return {
        "valid_until": unit.valid_until.isoformat() if unit.valid_until else None,
        "expired_at": unit.expired_at.isoformat() if unit.expired_at else None,
        "close_reason": unit.close_reason,
        "superseded_by": str(unit.superseded_by_id) if unit.superseded_by_id else None,
    }


def find_former_end(bank: Bank, unit: MemoryUnit) -> datetime | None:
    """The `valid_until` that it had before it was closed, as the step that closed it noted it."""
    closing = (UnitChange.Action.INVALIDATED, UnitChange.Action.SUPERSEDED)
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit, action__in=closing)
    latest = changes.order_by("-changed_at", "-id").first()
    noted = latest.before.get("valid_until") if latest else None
    return datetime.fromisoformat(noted) if noted else None


def reopen_relationships(
    bank: Bank, unit: MemoryUnit, closed_at: datetime, ended_at: datetime | None
) -> list[Relationship]:
    """Those that ended in the same step, unless another has their place by now."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    reopened = []
    for row in rows.filter(id__in=sources.values("relationship_id"), expired_at=closed_at):
        held = rows.current().filter(
            subject_id=row.subject_id, relation=row.relation, object_id=row.object_id, value=row.value
        )
        if not held.exists():
            row.valid_until = None if row.valid_until == ended_at else row.valid_until
            row.expired_at, row.close_reason, row.superseded_by = None, "", None
            row.save(update_fields=["valid_until", "expired_at", "close_reason", "superseded_by"])
            revive_texts(bank, Corpus.RELATIONSHIP, [row.id])
            reopened.append(row)
    return reopened
