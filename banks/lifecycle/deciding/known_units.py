"""What the memory holds that a new fact may repeat or refute."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from banks.links.neighbours import find_neighbours
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.retain.prepared import PreparedFact

NEAREST = 10
LEAST_COSINE = 0.8  # bge puts contradictions and additions to one matter above it, other matters of a topic below
OVERLAP = timedelta(minutes=15)  # longer than any transaction of a retain, and than clocks are apart


@dataclass(frozen=True)
class KnownUnit:
    id: UUID
    network: str
    kind: str
    text: str
    content_hash: bytes
    mentioned_at: datetime
    occurred_start: datetime | None
    tags_hash: bytes = b""
    occurred_end: datetime | None = None

    @property
    def since(self) -> datetime:
        return self.occurred_start or self.mentioned_at


def find_similar(bank: Bank, facts: Sequence[PreparedFact]) -> list[list[KnownUnit]]:
    """For each fact the live units of its network that are near to it, the nearest first: two queries for all.

    Call inside a tenant transaction.
    """
    found = find_neighbours(bank, [fact.vector for fact in facts], nearest=NEAREST, least_cosine=LEAST_COSINE)
    units = read_units(bank, {neighbour.unit_id for near in found for neighbour in near})
    return [
        [
            units[neighbour.unit_id]
            for neighbour in near
            if neighbour.unit_id in units and units[neighbour.unit_id].network == fact.fact.network
        ]
        for fact, near in zip(facts, found, strict=True)
    ]


def read_units(bank: Bank, ids: Collection[UUID]) -> dict[UUID, KnownUnit]:
    """Those of them that are live."""
    if not ids:
        return {}
    return {unit.id: unit for unit in build_known(MemoryUnit.objects.of_bank(bank).current().filter(id__in=ids))}


def build_known(rows: UnitQuerySet) -> list[KnownUnit]:
    return [
        KnownUnit(
            id=row.id,
            network=row.network,
            kind=row.kind,
            text=row.text,
            content_hash=bytes(row.content_hash),
            mentioned_at=row.mentioned_at,
            occurred_start=row.occurred_start,
            tags_hash=bytes(row.tags_hash),
            occurred_end=row.occurred_end,
        )
        for row in rows.defer("embedding", "dimensions", "context")
    ]


def find_newest(bank: Bank, *, now: datetime) -> UUID:
    """The bank's newest unit, or an id that is older than any that a writer at work may bring.

    Ids grow with time, and a bank's writers take turns: what comes after this one is greater.
    """
    floor = build_floor(now - OVERLAP)
    rows = MemoryUnit.objects.of_bank(bank).filter(id__gte=floor)
    return rows.order_by("-id").values_list("id", flat=True).first() or floor


def find_since(bank: Bank, newest: UUID) -> list[KnownUnit]:
    return build_known(MemoryUnit.objects.of_bank(bank).current().filter(id__gt=newest))


def build_floor(moment: datetime) -> UUID:
    """The smallest UUIDv7 of that millisecond: 48 bits of time, and the version."""
    return UUID(int=(int(moment.timestamp() * 1000) << 80) | (7 << 76) | (2 << 62))
