"""Closing units that a newer fact supersedes. An end in the future is scheduled: the unit stays current until then."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from banks.lifecycle.candidates import KnownUnit
from banks.lifecycle.history import describe_end, find_former_end, write_moment
from banks.lifecycle.observations import follow_closed_facts, follow_scheduled_ends
from banks.models import Bank, Corpus, MemoryUnit, Relationship, UnitChange
from banks.text_index.write import retire_texts
from tenants.webhook_outbox import Event, announce

# A correction was never true and gets no end. Ends in the future are left to SCHEDULE_UNITS.
CLOSE_UNITS = """
UPDATE banks_memoryunit AS unit SET
    valid_until = CASE
        WHEN closing.reason = 'correction' THEN unit.valid_until
        ELSE greatest(least(closing.since, unit.valid_until), unit.valid_from)
    END,
    expired_at = %(now)s, updated_at = %(now)s, close_reason = closing.reason, superseded_by_id = closing.successor_id
FROM unnest(%(unit_id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[])
    AS closing (unit_id, successor_id, since, reason)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = closing.unit_id AND unit.expired_at IS NULL
  AND NOT (
    closing.reason = 'update' AND unit.network IN ('world', 'experience')
    AND least(closing.since, unit.valid_until) > greatest(%(now)s, unit.valid_from)
  )
RETURNING unit.id, unit.valid_until, unit.close_reason, unit.superseded_by_id
"""

# An earlier end that is scheduled already stays.
SCHEDULE_UNITS = """
UPDATE banks_memoryunit AS unit SET
    valid_until = closing.since, updated_at = %(now)s, superseded_by_id = closing.successor_id
FROM unnest(%(unit_id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[])
    AS closing (unit_id, successor_id, since, reason)
JOIN banks_memoryunit AS former ON former.tenant_id = %(tenant_id)s AND former.id = closing.unit_id
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = former.id AND unit.expired_at IS NULL
  AND closing.reason = 'update' AND unit.network IN ('world', 'experience')
  AND closing.since > greatest(%(now)s, unit.valid_from)
  AND (unit.valid_until IS NULL OR closing.since < unit.valid_until)
RETURNING unit.id, former.valid_until, unit.valid_until, unit.superseded_by_id
"""

# The successor of a closed state is valid since the state ended, if it has no beginning of its own.
BEGIN_UNITS = """
UPDATE banks_memoryunit AS unit SET valid_from = closing.since
FROM unnest(%(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[]) AS closing (id, since, reason)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = closing.id AND unit.valid_from IS NULL
  AND closing.reason = 'update' AND (unit.valid_until IS NULL OR unit.valid_until >= closing.since)
"""

# Relationships that no open unit states any more. They get the `expired_at` of their unit: `restore` finds them by it.
CLOSE_RELATIONSHIPS = """
UPDATE banks_relationship AS stated SET
    valid_until = CASE
        WHEN unit.close_reason = 'correction' THEN stated.valid_until
        ELSE greatest(unit.valid_until, stated.valid_from)
    END,
    expired_at = %(now)s, close_reason = unit.close_reason,
    superseded_by_id = (
        SELECT newer.id FROM banks_relationship AS newer
        JOIN banks_relationshipsource AS proof ON proof.tenant_id = newer.tenant_id AND proof.relationship_id = newer.id
        WHERE newer.tenant_id = stated.tenant_id AND newer.subject_id = stated.subject_id
          AND newer.relation = stated.relation AND newer.id <> stated.id AND proof.unit_id = unit.superseded_by_id
        ORDER BY newer.id LIMIT 1
    )
FROM banks_relationshipsource AS source
JOIN banks_memoryunit AS unit ON unit.tenant_id = source.tenant_id AND unit.id = source.unit_id
WHERE stated.tenant_id = %(tenant_id)s AND stated.expired_at IS NULL
  AND source.tenant_id = stated.tenant_id AND source.relationship_id = stated.id AND source.unit_id = ANY(%(unit_id)s)
  AND NOT EXISTS (
    SELECT FROM banks_relationshipsource AS other
    JOIN banks_memoryunit AS stating ON stating.tenant_id = other.tenant_id AND stating.id = other.unit_id
    WHERE other.tenant_id = stated.tenant_id AND other.relationship_id = stated.id AND stating.expired_at IS NULL
  )
RETURNING stated.id
"""

# A scheduled end that has passed. The unit is no longer current; this records the reason.
EXPIRE_UNITS = """
UPDATE banks_memoryunit AS unit SET expired_at = %(now)s, updated_at = %(now)s, close_reason = 'update'
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.expired_at IS NULL
  AND unit.valid_until <= %(now)s
RETURNING unit.id, unit.valid_until, unit.close_reason, unit.superseded_by_id
"""
EXPIRE_RELATIONSHIPS = """
UPDATE banks_relationship AS stated SET expired_at = %(now)s, close_reason = 'update'
WHERE stated.tenant_id = %(tenant_id)s AND stated.bank_id = %(bank_id)s AND stated.expired_at IS NULL
  AND stated.valid_until <= %(now)s
RETURNING stated.id
"""

ClosedRow = tuple[UUID, datetime | None, str, UUID | None]


@dataclass(frozen=True)
class Closing:
    """`since` is when the newer fact began or will begin. Build no closing for a dated event."""

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


def build_closings(unit_id: UUID, fact: KnownUnit, contradicted: Sequence[KnownUnit], reason: str) -> list[Closing]:
    """`unit_id` is the unit of `fact`. The dates decide which of two facts is newer, not the order of arrival.

    A past event is not undone. A backdated fact closes nothing newer, and is closed itself when the newer one begins.
    """
    closings = []
    for other in contradicted:
        if other.id == unit_id:
            continue
        is_older = other.known_since <= fact.known_since
        older, newer = (other, fact) if is_older else (fact, other)
        if not older.is_past_event or reason == MemoryUnit.CloseReason.CORRECTION:
            closings.append(Closing(older.id, newer.id, find_end(older, newer), reason))
    return closings


def find_end(older: KnownUnit, newer: KnownUnit) -> datetime:
    """The beginning of the newer fact. A plan that is given up or moved ends on the day on which that was told."""
    is_plan = older.occurred_start is not None and older.occurred_start > newer.mentioned_at
    return newer.mentioned_at if is_plan else newer.since


def close_units(bank: Bank, closings: Sequence[Closing], *, now: datetime, actor: str) -> Closed:
    """Call inside a tenant transaction, after `lock_memory` and after the relationships of the batch are stored."""
    standing = drop_circles(closings)
    if not standing:
        return Closed()
    columns = build_columns(bank, standing, now=now)
    with connection.cursor() as cursor:
        cursor.execute(CLOSE_UNITS, columns)
        rows = cursor.fetchall()
        cursor.execute(SCHEDULE_UNITS, columns)
        scheduled = cursor.fetchall()
        cursor.execute(BEGIN_UNITS, columns)
    note_scheduled(bank, scheduled, actor=actor)
    closed = follow_closing(bank, rows, now=now, actor=actor)
    cancel_ends_by_unbegun(bank, closed, now=now, actor=actor)
    return closed


def drop_circles(closings: Sequence[Closing]) -> list[Closing]:
    """Each unit once, and no unit that its own successor supersedes: one of two simultaneous facts must stay."""
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


def follow_closing(bank: Bank, rows: Sequence[ClosedRow], *, now: datetime, actor: str) -> Closed:
    """End the relationships and observations of closed units, write the history, and retire the texts in the index."""
    unit_ids = [row[0] for row in rows]
    if not unit_ids:
        return Closed()
    with connection.cursor() as cursor:
        cursor.execute(CLOSE_RELATIONSHIPS, {"tenant_id": bank.tenant_id, "now": now, "unit_id": unit_ids})
        relationship_ids = tuple(row[0] for row in cursor.fetchall())
    note_closings(bank, rows, actor=actor)
    follow_closed_facts(bank, unit_ids, actor=actor, now=now)
    retire_texts(bank, Corpus.UNIT, unit_ids)
    retire_texts(bank, Corpus.RELATIONSHIP, relationship_ids)
    return Closed(tuple(unit_ids), relationship_ids)


def note_closings(bank: Bank, rows: Sequence[ClosedRow], *, actor: str) -> None:
    """Writes the history, and announces the units that have a successor to webhooks."""
    changes = [
        UnitChange(
            unit_id=unit_id,
            action=UnitChange.Action.SUPERSEDED,
            after={
                "valid_until": write_moment(valid_until),
                "close_reason": reason,
                "superseded_by": str(successor_id) if successor_id else None,
            },
            actor=actor,
        )
        for unit_id, valid_until, reason, successor_id in rows
    ]
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(changes)
    superseded = [
        {"memory_id": str(unit_id), "superseded_by": str(successor_id), "reason": reason}
        for unit_id, _, reason, successor_id in rows
        if successor_id
    ]
    if superseded:
        announce(bank.tenant_id, Event("memory.superseded", bank.bank_id, {"changes": superseded}))


def note_scheduled(bank: Bank, rows: Sequence[tuple[Any, ...]], *, actor: str) -> None:
    changes = [
        UnitChange(
            unit_id=unit_id,
            action=UnitChange.Action.SCHEDULED,
            before={"valid_until": write_moment(before)},
            after={"valid_until": until.isoformat(), "superseded_by": str(successor_id)},
            actor=actor,
        )
        for unit_id, before, until, successor_id in rows
    ]
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(changes)
    follow_scheduled_ends(bank, [unit_id for unit_id, *_ in rows])


def expire_overdue(bank: Bank, *, now: datetime, actor: str) -> Closed:
    """Close the units whose scheduled end has passed, so that the same words can be stored again.

    Such units are not current anyway, so nothing depends on the time of this. Call inside a tenant transaction, after
    `lock_memory`.
    """
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(EXPIRE_RELATIONSHIPS, given)
        ended = [row[0] for row in cursor.fetchall()]
        cursor.execute(EXPIRE_UNITS, given)
        rows = cursor.fetchall()
    retire_texts(bank, Corpus.RELATIONSHIP, ended)
    closed = follow_closing(bank, rows, now=now, actor=actor)
    return Closed(closed.unit_ids, (*ended, *closed.relationship_ids))


def cancel_ends_by_unbegun(bank: Bank, closed: Closed, *, now: datetime, actor: str) -> None:
    """Cancel the scheduled ends whose successor was closed as a correction, or before it began."""
    if not closed:
        return
    never_true = Q(close_reason=MemoryUnit.CloseReason.CORRECTION) | Q(valid_from__gt=now)
    units = MemoryUnit.objects.of_bank(bank).filter(never_true, id__in=closed.unit_ids)
    relationships = Relationship.objects.of_bank(bank).filter(never_true, id__in=closed.relationship_ids)
    cancel_ends_by(
        bank,
        set(units.values_list("id", flat=True)),
        set(relationships.values_list("id", flat=True)),
        actor=actor,
    )


def cancel_ends_by(
    bank: Bank, unit_ids: Collection[UUID], relationship_ids: Collection[UUID], *, actor: str
) -> list[UUID]:
    """Cancel the scheduled ends whose successor is one of these. Returns the units that stay current."""
    waiting = MemoryUnit.objects.of_bank(bank).filter(expired_at=None, superseded_by__in=unit_ids)
    units = list(waiting.defer("embedding", "second_embedding").order_by("id"))
    for unit in units:
        cancel_scheduled_end(bank, unit, actor=actor)
    rows = Relationship.objects.of_bank(bank).filter(expired_at=None, superseded_by__in=relationship_ids)
    rows.update(valid_until=None, superseded_by=None)
    return [unit.id for unit in units]


def cancel_scheduled_end(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> None:
    """Give the unit its former end, if it had one. Call after `lock_memory`."""
    before = describe_end(unit)
    unit.valid_until, unit.superseded_by = find_former_end(bank, unit), None
    unit.save(update_fields=["valid_until", "superseded_by", "updated_at"])
    follow_scheduled_ends(bank, [unit.id])
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=unit, action=UnitChange.Action.RESTORED, before=before, after={}, actor=actor, reason=reason
    )
