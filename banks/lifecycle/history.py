"""What became of a memory, forward and back."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank, MemoryUnit, UnitChange

LONGEST_CHAIN = 100  # steps in one direction


@dataclass(frozen=True)
class History:
    """`superseded_by` leads forward, the next first; `supersedes` leads back, the latest first."""

    unit: MemoryUnit
    changes: tuple[UnitChange, ...]
    superseded_by: tuple[MemoryUnit, ...]
    supersedes: tuple[MemoryUnit, ...]


def read_history(bank: Bank, unit: MemoryUnit) -> History:
    """Call inside a tenant transaction."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit).order_by("changed_at", "id")
    return History(unit, tuple(changes), follow_forward(bank, unit), follow_back(bank, unit))


def follow_forward(bank: Bank, unit: MemoryUnit) -> tuple[MemoryUnit, ...]:
    chain: dict[UUID, MemoryUnit] = {}
    next_id = unit.superseded_by_id
    while next_id is not None and next_id not in chain and next_id != unit.id and len(chain) < LONGEST_CHAIN:
        chain[next_id] = MemoryUnit.objects.of_bank(bank).get(id=next_id)
        next_id = chain[next_id].superseded_by_id
    return tuple(chain.values())


def follow_back(bank: Bank, unit: MemoryUnit) -> tuple[MemoryUnit, ...]:
    """A unit may have superseded several, and each of them others: level by level."""
    found: dict[UUID, MemoryUnit] = {}
    level: Collection[UUID] = [unit.id]
    while level and len(found) < LONGEST_CHAIN:
        rows = MemoryUnit.objects.of_bank(bank).filter(superseded_by__in=level).exclude(id=unit.id)
        newest = {row.id: row for row in rows.order_by("-expired_at", "id")[:LONGEST_CHAIN] if row.id not in found}
        found |= newest
        level = newest.keys()
    return tuple(found.values())
