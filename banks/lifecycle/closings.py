"""Which units a newer fact ends. Which of the two is newer, their dates say, not the order of arrival."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from banks.lifecycle.deciding.known_units import KnownUnit
from banks.models import Bank, MemoryUnit
from banks.words import Kind


@dataclass(frozen=True)
class Closing:
    """`since`: when the newer one began, or will. What happened on a day is not closed for an update: who builds a
    closing sees to that.
    """

    unit_id: UUID
    successor_id: UUID
    since: datetime
    reason: str = MemoryUnit.CloseReason.UPDATE


@dataclass(frozen=True)
class Closed:
    unit_ids: tuple[UUID, ...] = ()
    relationship_ids: tuple[UUID, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unit_ids or self.relationship_ids)


def build_closings(unit_id: UUID, fact: KnownUnit, refuted: Sequence[KnownUnit], reason: str) -> list[Closing]:
    """`fact` became the unit `unit_id`, or was found to be it.

    A dated event is not undone by what happens later. A thing of the past that is told late closes nothing newer,
    and is itself over since the newer one began.
    """
    closings = []
    for other in refuted:
        if other.id == unit_id:
            continue
        if other.since <= fact.since:
            older, closing = other, Closing(other.id, unit_id, fact.since, reason)
        else:
            older, closing = fact, Closing(unit_id, other.id, other.since, reason)
        if older.kind != Kind.EVENT or reason == MemoryUnit.CloseReason.CORRECTION:
            closings.append(closing)
    return closings


def drop_circles(closings: Sequence[Closing]) -> list[Closing]:
    """Each unit once, and none that is closed by what it closes: of two that were told at once one has to stand."""
    kept: dict[UUID, Closing] = {}
    for closing in closings:
        ahead: UUID | None = closing.successor_id
        while ahead is not None and ahead != closing.unit_id:
            ahead = kept[ahead].successor_id if ahead in kept else None
        if ahead is None:
            kept.setdefault(closing.unit_id, closing)
    return list(kept.values())


def build_columns(bank: Bank, closings: Sequence[Closing], *, now: datetime) -> Mapping[str, Any]:
    return {
        "tenant_id": bank.tenant_id,
        "now": now,
        "unit_id": [closing.unit_id for closing in closings],
        "successor_id": [closing.successor_id for closing in closings],
        "since": [closing.since for closing in closings],
        "reason": [str(closing.reason) for closing in closings],
    }
