"""The end of observations. One tells its facts together, so it is true as told only while all of them are."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank, Corpus, UnitChange
from banks.text_index.write import retire_texts

# It ends with the first of its facts, or when that begins which tells some of them otherwise. Where its facts go on and
# nothing tells them, the first of what came with its end has its place: newer facts that are told instead. What rests
# on a correction was never so as it was told, whatever else it rested on.
CLOSE = """
WITH newer AS (
    SELECT unit.id, unit.valid_from FROM banks_memoryunit AS unit
    WHERE unit.tenant_id = %(tenant_id)s AND unit.id = ANY(%(newer_id)s)
), resting AS (
    SELECT source.unit_id, source.other_unit_id AS fact_id FROM banks_unitsource AS source
    WHERE source.tenant_id = %(tenant_id)s AND source.role = 'summarises'
      AND source.unit_id = ANY(%(unit_id)s || %(newer_id)s)
), facts AS (
    SELECT resting.unit_id, bool_or(fact.close_reason = 'correction') AS is_corrected,
        min(fact.valid_until) FILTER (WHERE fact.valid_until <= %(now)s) AS ended
    FROM resting JOIN banks_memoryunit AS fact ON fact.tenant_id = %(tenant_id)s AND fact.id = resting.fact_id
    GROUP BY resting.unit_id
), followed AS (
    SELECT former.unit_id, min(newer.valid_from) AS since
    FROM resting AS former JOIN resting AS later USING (fact_id) JOIN newer ON newer.id = later.unit_id
    GROUP BY former.unit_id
)
UPDATE banks_memoryunit AS told SET
    expired_at = %(now)s, updated_at = %(now)s,
    announced_at = CASE WHEN told.valid_until <= %(now)s THEN told.announced_at END,
    close_reason = CASE WHEN facts.is_corrected THEN 'correction' ELSE 'update' END,
    valid_until = CASE
        WHEN facts.is_corrected THEN told.valid_until
        ELSE greatest(
            told.valid_from,
            least(
                told.valid_until,
                coalesce(least(facts.ended, followed.since), (SELECT min(newer.valid_from) FROM newer), %(now)s)
            )
        )
    END
FROM unnest(%(unit_id)s) AS closing (unit_id)
LEFT JOIN facts USING (unit_id) LEFT JOIN followed USING (unit_id)
WHERE told.tenant_id = %(tenant_id)s AND told.id = closing.unit_id AND told.expired_at IS NULL
RETURNING told.id, told.valid_until, told.close_reason
"""

# A source that is no fact, such as an episode of a month, has no end: what names it has its words from there.
FIND_BEREFT = """
SELECT DISTINCT told.id FROM banks_unitsource AS source
JOIN banks_memoryunit AS told ON told.tenant_id = source.tenant_id AND told.id = source.unit_id
WHERE source.tenant_id = %(tenant_id)s AND source.other_unit_id = ANY(%(fact_id)s) AND source.role = 'summarises'
  AND told.network = 'observation' AND told.expired_at IS NULL
  AND (told.valid_until <= %(now)s OR NOT EXISTS (
    SELECT FROM banks_unitsource AS other
    LEFT JOIN banks_memoryunit AS fact ON fact.tenant_id = other.tenant_id AND fact.id = other.other_unit_id
    WHERE other.tenant_id = told.tenant_id AND other.unit_id = told.id AND fact.expired_at IS NULL
  ))
"""

# Former versions, which ended as something that had been so.
DISOWN = """
UPDATE banks_memoryunit AS told SET close_reason = 'correction', updated_at = %(now)s
FROM banks_unitsource AS source
JOIN banks_memoryunit AS fact ON fact.tenant_id = source.tenant_id AND fact.id = source.other_unit_id
WHERE told.tenant_id = %(tenant_id)s AND told.id = source.unit_id AND told.network = 'observation'
  AND told.close_reason = 'update' AND source.tenant_id = told.tenant_id AND source.role = 'summarises'
  AND source.other_unit_id = ANY(%(fact_id)s) AND fact.close_reason = 'correction'
RETURNING told.id, told.valid_until, told.close_reason
"""

Closed = tuple[UUID, datetime | None, str]


def close_observations(
    bank: Bank, unit_ids: Sequence[UUID], *, newer: Sequence[UUID] = (), actor: str, now: datetime
) -> None:
    """What was observed before stays for those who ask what was known then. `newer` are the ones that came with the
    end of these, and have begun. Call inside a tenant transaction, after `lock_memory`.
    """
    if not unit_ids:
        return
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "unit_id": list(unit_ids),
        "newer_id": list(newer),
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(CLOSE, given)
        closed = cursor.fetchall()
    retire_texts(bank, Corpus.UNIT, unit_ids)
    note_ends(bank, closed, actor=actor)


def follow_closed_facts(bank: Bank, fact_ids: Collection[UUID], *, actor: str, now: datetime) -> None:
    """Observations that have no live fact left, or whose end has come, end before any refresh; a former version of one
    that rests on a correction becomes one too. The others are made anew by a refresh.

    Call inside the tenant transaction that closed the facts, after `lock_memory`.
    """
    if not fact_ids:
        return
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "fact_id": list(fact_ids), "now": now}
    with connection.cursor() as cursor:
        cursor.execute(DISOWN, given)
        disowned = cursor.fetchall()
        cursor.execute(FIND_BEREFT, given)
        bereft = [unit_id for (unit_id,) in cursor.fetchall()]
    note_ends(bank, disowned, actor=actor)
    close_observations(bank, bereft, actor=actor, now=now)


def note_ends(bank: Bank, closed: Sequence[Closed], *, actor: str) -> None:
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            UnitChange(
                unit_id=unit_id,
                action=UnitChange.Action.SUPERSEDED,
                after={"valid_until": until.isoformat() if until else None, "close_reason": reason},
                actor=actor,
            )
            for unit_id, until, reason in closed
        ]
    )
