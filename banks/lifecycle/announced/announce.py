"""Ends that lie ahead. What is told to change on a day to come is so until then: it stays open, with its end known.

On that day `banks.lifecycle.announced.due` closes it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Q

from banks.lifecycle.announced.relationships import find_other_teller, take_back_ends_with
from banks.lifecycle.closings import Closing, build_columns
from banks.lifecycle.ends import describe_end, find_former_end
from banks.lifecycle.observed_spans import follow_announced_ends
from banks.models import Bank, MemoryUnit, UnitChange
from banks.models.unit import UnitQuerySet

# The same news told again announces nothing more, and nothing that would come later than what is announced.
ANNOUNCE = """
UPDATE banks_memoryunit AS unit SET
    valid_until = least(closing.since, unit.valid_until), announced_at = %(now)s, updated_at = %(now)s,
    superseded_by_id = closing.successor_id
FROM unnest(%(unit_id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[], %(reason)s::text[])
    AS closing (unit_id, successor_id, since, reason)
JOIN banks_memoryunit AS former ON former.tenant_id = %(tenant_id)s AND former.id = closing.unit_id
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = former.id AND unit.expired_at IS NULL
  AND closing.reason = 'update' AND unit.network IN ('world', 'experience')
  AND least(closing.since, unit.valid_until) > greatest(%(now)s, unit.valid_from)
  AND (unit.announced_at IS NULL OR closing.since < unit.valid_until)
RETURNING unit.id, former.valid_until, unit.valid_until, unit.superseded_by_id
"""


def announce_ends(bank: Bank, closings: Sequence[Closing], *, now: datetime, actor: str) -> None:
    """Call inside a tenant transaction, after `lock_memory`, with what is not closed already."""
    ahead = [closing for closing in closings if closing.since > now]
    if not ahead:
        return
    with connection.cursor() as cursor:
        cursor.execute(ANNOUNCE, build_columns(bank, ahead, now=now))
        rows = cursor.fetchall()
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            UnitChange(
                unit_id=unit_id,
                action=UnitChange.Action.ANNOUNCED,
                before={"valid_until": before.isoformat() if before else None},
                after={"valid_until": until.isoformat(), "superseded_by": str(successor_id)},
                actor=actor,
            )
            for unit_id, before, until, successor_id in rows
        ]
    )
    follow_announced_ends(bank, [unit_id for unit_id, *_ in rows])


def take_back_resting_on(bank: Bank, successor_ids: Collection[UUID], *, actor: str) -> dict[UUID, UUID]:
    """When these are to be deleted, or tell something else by now. Returns what was to be ended, with what was to end
    it.
    """
    waiting = find_resting_on(bank, successor_ids).exclude(id__in=successor_ids)
    return give_back(bank, waiting, successor_ids, actor=actor)


def take_back_never_so(bank: Bank, successor_ids: Collection[UUID], *, now: datetime, actor: str) -> dict[UUID, UUID]:
    """Likewise, of those that were closed now, for what never began or never was so."""
    if not successor_ids:
        return {}
    never_so = Q(superseded_by__close_reason=MemoryUnit.CloseReason.CORRECTION) | Q(superseded_by__valid_from__gt=now)
    return give_back(bank, find_resting_on(bank, successor_ids).filter(never_so), successor_ids, actor=actor)


def find_resting_on(bank: Bank, successor_ids: Collection[UUID]) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).announced().filter(superseded_by__in=successor_ids)


def give_back(bank: Bank, waiting: UnitQuerySet, successor_ids: Collection[UUID], *, actor: str) -> dict[UUID, UUID]:
    """Where another live unit tells what comes then, the end stands, and that one is the successor."""
    given_back = {}
    for unit in waiting.defer("embedding").order_by("id"):
        successor_id = unit.superseded_by_id
        if other := find_other_teller(bank, unit, besides=successor_ids):
            unit.superseded_by_id = other
            unit.save(update_fields=["superseded_by", "updated_at"])
        elif successor_id:
            take_back(bank, unit, actor=actor)
            given_back[unit.id] = successor_id
    return given_back


def take_back(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> None:
    """It is open without the announced end. Call inside a tenant transaction, after `lock_memory`."""
    before, until = describe_end(unit), unit.valid_until
    unit.valid_until = find_former_end(bank, unit)
    unit.announced_at, unit.superseded_by = None, None
    unit.save(update_fields=["valid_until", "announced_at", "superseded_by", "updated_at"])
    take_back_ends_with(bank, unit, until)
    follow_announced_ends(bank, [unit.id])
    UnitChange.objects.for_tenant(bank.tenant_id).create(
        unit=unit, action=UnitChange.Action.RESTORED, before=before, after={}, actor=actor, reason=reason
    )
