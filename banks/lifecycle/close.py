"""Closing what a newer fact refutes, or announcing its end where the newer one is yet to begin."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection

from banks.lifecycle.announced.announce import announce_ends, take_back_never_so
from banks.lifecycle.announced.relationships import take_back_ends_never_so
from banks.lifecycle.closings import Closed, Closing, build_columns, drop_circles
from banks.lifecycle.observed import follow_closed_facts
from banks.models import Bank, MemoryUnit, UnitChange

# What never was so gets no end. What happened on a day is not given here to be updated; what `announce` is for is left.
CLOSE_UNITS = """
UPDATE banks_memoryunit AS unit SET
    valid_until = CASE
        WHEN closing.reason = 'correction' THEN unit.valid_until
        ELSE greatest(least(closing.since, unit.valid_until), unit.valid_from)
    END,
    expired_at = %(now)s, updated_at = %(now)s, announced_at = NULL,
    close_reason = closing.reason, superseded_by_id = closing.successor_id
FROM unnest(%(unit_id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[])
    AS closing (unit_id, successor_id, since, reason)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = closing.unit_id AND unit.expired_at IS NULL
  AND NOT (
    closing.reason = 'update' AND unit.network IN ('world', 'experience')
    AND least(closing.since, unit.valid_until) > greatest(%(now)s, unit.valid_from)
  )
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

ClosedRow = tuple[UUID, datetime | None, str, UUID | None]


def close_units(bank: Bank, closings: Sequence[Closing], *, now: datetime, actor: str) -> Closed:
    """Call inside a tenant transaction, after `lock_memory` and after the relationships of the batch are stored.

    What is closed before it began takes nobody's place: whom it was to end, that is told of what has its place now.
    """
    standing = drop_circles(closings)
    if not standing:
        return Closed()
    with connection.cursor() as cursor:
        columns = build_columns(bank, standing, now=now)
        cursor.execute(CLOSE_UNITS, columns)
        rows = cursor.fetchall()
        cursor.execute(BEGIN_UNITS, columns)
    closed = follow_closing(bank, rows, now=now, actor=actor)
    inherited = pass_on(bank, standing, closed, now=now, actor=actor)
    announce_ends(bank, drop_circles([*standing, *inherited]), now=now, actor=actor)
    return closed


def pass_on(bank: Bank, closings: Sequence[Closing], closed: Closed, *, now: datetime, actor: str) -> list[Closing]:
    """The ends that were announced for the sake of what was closed now go back, or go on to its successor."""
    over = {closing.unit_id: closing for closing in closings if closing.unit_id in set(closed.unit_ids)}
    waiting = take_back_never_so(bank, closed.unit_ids, now=now, actor=actor)
    take_back_ends_never_so(bank, closed.relationship_ids, now=now)
    heirs = [(unit_id, over[successor_id]) for unit_id, successor_id in waiting.items() if successor_id in over]
    return [
        Closing(unit_id, by.successor_id, by.since)
        for unit_id, by in heirs
        if by.reason == MemoryUnit.CloseReason.UPDATE and by.successor_id != unit_id
    ]


def follow_closing(bank: Bank, rows: Sequence[ClosedRow], *, now: datetime, actor: str) -> Closed:
    """What ends with these units, and the trace of their end."""
    unit_ids = [row[0] for row in rows]
    if not unit_ids:
        return Closed()
    with connection.cursor() as cursor:
        cursor.execute(CLOSE_RELATIONSHIPS, {"tenant_id": bank.tenant_id, "now": now, "unit_id": unit_ids})
        relationship_ids = tuple(row[0] for row in cursor.fetchall())
    note_closings(bank, rows, actor=actor)
    follow_closed_facts(bank, unit_ids, actor=actor, now=now)
    return Closed(tuple(unit_ids), relationship_ids)


def note_closings(bank: Bank, rows: Sequence[ClosedRow], *, actor: str) -> None:
    changes = [
        UnitChange(
            unit_id=unit_id,
            action=UnitChange.Action.SUPERSEDED,
            after={
                "valid_until": valid_until.isoformat() if valid_until else None,
                "close_reason": reason,
                "superseded_by": str(successor_id) if successor_id else None,
            },
            actor=actor,
        )
        for unit_id, valid_until, reason, successor_id in rows
    ]
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(changes)
