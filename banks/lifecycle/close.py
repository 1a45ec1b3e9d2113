"""Closing what a newer fact refutes. Which of the two is newer, their dates say, not the order of arrival."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.lifecycle.known_units import KnownUnit
from banks.lifecycle.observed import follow_closed_facts
from banks.models import Bank, MemoryUnit, UnitChange
from banks.words import Kind

# A dated event and what never was so get no end: the one happened, the other did not.
CLOSE_UNITS = """
UPDATE banks_memoryunit AS unit SET
    valid_until = CASE
        WHEN unit.kind = 'event' OR closing.reason = 'correction' THEN unit.valid_until
        ELSE greatest(least(closing.since, unit.valid_until), unit.valid_from)
    END,
    expired_at = %(now)s, updated_at = %(now)s,
    close_reason = closing.reason, superseded_by_id = closing.successor_id
FROM unnest(%(unit_id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[])
    AS closing (unit_id, successor_id, since, reason)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = closing.unit_id AND unit.expired_at IS NULL
RETURNING unit.id, unit.valid_until, unit.close_reason, unit.superseded_by_id
"""

# What took the place of a state that is over holds since then, also where nobody said since when.
BEGIN_UNITS = """
UPDATE banks_memoryunit AS unit SET valid_from = closing.since
FROM unnest(%(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[]) AS closing (id, since, reason)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = closing.id AND unit.valid_from IS NULL
  AND closing.reason = 'update' AND (unit.valid_until IS NULL OR unit.valid_until >= closing.since)
"""

# Those that no live unit tells any more. They share the moment with their unit, by which a restoration finds them.
CLOSE_RELATIONSHIPS = """
UPDATE banks_relationship AS told SET
    valid_until = CASE
        WHEN unit.close_reason = 'correction' THEN told.valid_until
        ELSE greatest(unit.valid_until, told.valid_from)
    END,
    expired_at = %(now)s, close_reason = unit.close_reason,
    superseded_by_id = (
        SELECT newer.id FROM banks_relationship AS newer
        JOIN banks_relationshipsource AS proof ON proof.tenant_id = newer.tenant_id AND proof.relationship_id = newer.id
        WHERE newer.tenant_id = told.tenant_id AND newer.subject_id = told.subject_id
          AND newer.relation = told.relation AND newer.id <> told.id AND proof.unit_id = unit.superseded_by_id
        ORDER BY newer.id LIMIT 1
    )
FROM banks_relationshipsource AS source
JOIN banks_memoryunit AS unit ON unit.tenant_id = source.tenant_id AND unit.id = source.unit_id
WHERE told.tenant_id = %(tenant_id)s AND told.expired_at IS NULL
  AND source.tenant_id = told.tenant_id AND source.relationship_id = told.id AND source.unit_id = ANY(%(unit_id)s)
  AND NOT EXISTS (
    SELECT FROM banks_relationshipsource AS other
    JOIN banks_memoryunit AS teller ON teller.tenant_id = other.tenant_id AND teller.id = other.unit_id
    WHERE other.tenant_id = told.tenant_id AND other.relationship_id = told.id AND teller.expired_at IS NULL
  )
RETURNING told.id
"""


@dataclass(frozen=True)
class Closing:
    """`since`: when the newer one began."""

    unit_id: UUID
    successor_id: UUID
    since: datetime
    reason: str = MemoryUnit.CloseReason.UPDATE


@dataclass(frozen=True)
class Closed:
    unit_ids: tuple[UUID, ...] = ()
    relationship_ids: tuple[UUID, ...] = ()


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


def close_units(bank: Bank, closings: Sequence[Closing], *, now: datetime, actor: str) -> Closed:
    """Call inside a tenant transaction, after `lock_memory` and after the relationships of the batch are stored."""
    standing = drop_circles(closings)
    if not standing:
        return Closed()
    with connection.cursor() as cursor:
        columns = build_columns(bank, standing, now=now)
        cursor.execute(CLOSE_UNITS, columns)
        rows = cursor.fetchall()
        cursor.execute(BEGIN_UNITS, columns)
        cursor.execute(
            CLOSE_RELATIONSHIPS, {"tenant_id": bank.tenant_id, "now": now, "unit_id": [row[0] for row in rows]}
        )
        relationship_ids = [row[0] for row in cursor.fetchall()]
    note_closings(bank, rows, actor=actor)
    follow_closed_facts(bank, [row[0] for row in rows], actor=actor, now=now)
    return Closed(tuple(row[0] for row in rows), tuple(relationship_ids))


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


def note_closings(bank: Bank, rows: Sequence[tuple[UUID, datetime | None, str, UUID]], *, actor: str) -> None:
    changes = [
        UnitChange(
            unit_id=unit_id,
            action=UnitChange.Action.SUPERSEDED,
            after={
                "valid_until": valid_until.isoformat() if valid_until else None,
                "close_reason": reason,
                "superseded_by": str(successor_id),
            },
            actor=actor,
        )
        for unit_id, valid_until, reason, successor_id in rows
    ]
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(changes)
