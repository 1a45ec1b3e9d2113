"""Lower ranks for what is old and was never recalled. Nothing is lost: a recall, or another rule, brings it back."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from banks.models import Bank, MemoryUnit
from reflection.forgetting.rules import build_condition, join_conditions
from reflection.models import RetentionRule


@dataclass(frozen=True)
class Faded:
    faded: int = 0
    restored: int = 0


def fade(bank: Bank, rules: Sequence[RetentionRule], *, now: datetime) -> Faded:
    """`rules` are all that fade; what none of them means any more is as before. Call inside a tenant transaction."""
    units = MemoryUnit.objects.of_bank(bank).current()
    faint = units.filter(faded_at__isnull=False)
    meant = join_conditions(build_condition(bank, rule, now=now) for rule in rules)
    if meant is None:
        return Faded(restored=faint.update(faded_at=None))
    restored = faint.exclude(meant).update(faded_at=None)
    return Faded(units.filter(meant, faded_at=None).update(faded_at=now), restored)
