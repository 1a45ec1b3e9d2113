"""The end of a memory as its history tells it."""

from datetime import datetime
from itertools import takewhile

from banks.models import Bank, MemoryUnit, UnitChange

ENDING = (UnitChange.Action.INVALIDATED, UnitChange.Action.SUPERSEDED, UnitChange.Action.ANNOUNCED)


def describe_end(unit: MemoryUnit) -> dict[str, str | None]:
    return {
        "valid_until": unit.valid_until.isoformat() if unit.valid_until else None,
        "expired_at": unit.expired_at.isoformat() if unit.expired_at else None,
        "close_reason": unit.close_reason,
        "superseded_by": str(unit.superseded_by_id) if unit.superseded_by_id else None,
    }


def find_former_end(bank: Bank, unit: MemoryUnit) -> datetime | None:
    """The `valid_until` that it had before it was closed or its end announced, as the first step towards that noted."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    steps = changes.filter(action__in=(*ENDING, UnitChange.Action.RESTORED)).order_by("-changed_at", "-id")
    since_open = list(takewhile(lambda step: step.action != UnitChange.Action.RESTORED, steps))
    noted = since_open[-1].before.get("valid_until") if since_open else None
    return datetime.fromisoformat(noted) if noted else None
