"""The history of a unit: its changes, its successors and predecessors, and the end that it had before."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from uuid import UUID

from banks.models import Bank, MemoryUnit, UnitChange

LONGEST_CHAIN = 100  # steps in one direction
ENDING = (UnitChange.Action.INVALIDATED, UnitChange.Action.SUPERSEDED, UnitChange.Action.SCHEDULED)


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
    """Level by level: a unit may have superseded several units, and each of them others."""
    found: dict[UUID, MemoryUnit] = {}
    level: Collection[UUID] = [unit.id]
    while level and len(found) < LONGEST_CHAIN:
        rows = MemoryUnit.objects.of_bank(bank).filter(superseded_by__in=level).exclude(id=unit.id)
        newest = {row.id: row for row in rows.order_by("-expired_at", "id")[:LONGEST_CHAIN] if row.id not in found}
        found |= newest
        level = newest.keys()
    return tuple(found.values())


def write_moment(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def describe_end(unit: MemoryUnit) -> dict[str, str | None]:
    return {
        "valid_until": write_moment(unit.valid_until),
        "expired_at": write_moment(unit.expired_at),
        "close_reason": unit.close_reason,
        "superseded_by": str(unit.superseded_by_id) if unit.superseded_by_id else None,
    }


def find_former_end(bank: Bank, unit: MemoryUnit) -> datetime | None:
    """The `valid_until` before the unit was closed or its end was scheduled, from the first of these steps."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    steps = changes.filter(action__in=(*ENDING, UnitChange.Action.RESTORED)).order_by("-changed_at", "-id")
    since_open = list(takewhile(lambda step: step.action != UnitChange.Action.RESTORED, steps))
    noted = since_open[-1].before.get("valid_until") if since_open else None
    return datetime.fromisoformat(noted) if noted else None
