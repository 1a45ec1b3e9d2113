"""From when to when an observation holds, as far as its facts tell: from the newest of them on, until the first ends.

A fact whose beginning nobody told is open towards the past, an observation never is: it begins when that fact was said.
For the time before, the fact itself answers. So no time shows an observation beside what its facts ended, or two
versions of one.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank

# What stands keeps its beginning when its facts are told again, unless one of them is known to begin later. What is yet
# to begin, or ends another of the facts, is only announced by it.
BEGIN = """
WITH resting AS (
    SELECT source.unit_id, fact.id, fact.valid_from, fact.mentioned_at, fact.superseded_by_id
    FROM banks_unitsource AS source
    JOIN banks_memoryunit AS fact ON fact.tenant_id = source.tenant_id AND fact.id = source.other_unit_id
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_id)s) AND source.role = 'summarises'
), told AS (
    SELECT resting.*, coalesce(resting.valid_from > %(now)s, false) OR EXISTS (
        SELECT FROM resting AS ended WHERE ended.unit_id = resting.unit_id AND ended.superseded_by_id = resting.id
    ) AS is_announced
    FROM resting
), facts AS (
    SELECT unit_id,
        coalesce(
            max(coalesce(valid_from, mentioned_at)) FILTER (WHERE NOT is_announced),
            max(coalesce(valid_from, mentioned_at))
        ) AS known,
        CASE WHEN bool_and(is_announced) THEN max(valid_from) ELSE max(valid_from) FILTER (WHERE NOT is_announced) END
            AS begun
    FROM told GROUP BY unit_id
)
UPDATE banks_memoryunit AS unit SET valid_until = NULL, announced_at = NULL, valid_from = greatest(
    coalesce(CASE WHEN unit.valid_from <= %(now)s THEN unit.valid_from END, facts.known), facts.begun
)
FROM facts
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = facts.unit_id
"""

# The same words were told before, of a time that they are told of again: when a fact that had ended was restored.
GIVE_WAY = """
UPDATE banks_memoryunit AS former SET valid_until = greatest(former.valid_from, told.valid_from)
FROM banks_memoryunit AS told
WHERE told.tenant_id = %(tenant_id)s AND told.id = ANY(%(unit_id)s) AND former.tenant_id = told.tenant_id
  AND former.bank_id = told.bank_id AND former.network = told.network AND former.content_hash = told.content_hash
  AND former.tags_hash = told.tags_hash AND former.expired_at IS NOT NULL AND former.close_reason = 'update'
  AND (former.valid_until IS NULL OR former.valid_until > told.valid_from)
"""

# The first end among those of its facts and what else is known of one. What was over when it was observed is told as
# that. It is announced since the end that comes first was, so that its day closes it too.
END = """
WITH ends AS (
    SELECT source.unit_id, fact.valid_until, fact.announced_at
    FROM banks_unitsource AS source
    JOIN banks_memoryunit AS fact ON fact.tenant_id = source.tenant_id AND fact.id = source.other_unit_id
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_id)s) AND source.role = 'summarises'
    UNION ALL
    SELECT * FROM unnest(%(ended_id)s::uuid[], %(until)s::timestamptz[], %(announced_at)s::timestamptz[])
), first AS (
    SELECT DISTINCT ON (unit.id) unit.id, ends.announced_at,
        CASE WHEN ends.valid_until IS NOT NULL THEN greatest(ends.valid_until, unit.valid_from) END AS valid_until
    FROM banks_memoryunit AS unit
    LEFT JOIN ends ON ends.unit_id = unit.id AND ends.valid_until > unit.recorded_at
    WHERE unit.tenant_id = %(tenant_id)s AND unit.id = ANY(%(unit_id)s)
    ORDER BY unit.id, ends.valid_until, ends.announced_at
)
UPDATE banks_memoryunit AS unit SET valid_until = first.valid_until, announced_at = first.announced_at
FROM first WHERE unit.tenant_id = %(tenant_id)s AND unit.id = first.id
"""

FIND_RESTING = """
SELECT DISTINCT told.id FROM banks_unitsource AS source
JOIN banks_memoryunit AS told ON told.tenant_id = source.tenant_id AND told.id = source.unit_id
WHERE source.tenant_id = %(tenant_id)s AND source.other_unit_id = ANY(%(fact_id)s) AND source.role = 'summarises'
  AND told.network = 'observation' AND told.expired_at IS NULL
"""


@dataclass(frozen=True)
class AnnouncedEnd:
    """Of a relationship, which may end while the facts that tell it, and more, go on."""

    until: datetime
    announced_at: datetime


def set_spans(bank: Bank, unit_ids: Collection[UUID], ends: Mapping[UUID, AnnouncedEnd], *, now: datetime) -> None:
    """Of live observations; `ends` are known beside those of their facts. Call inside a tenant transaction, after
    `lock_memory` and after their facts are named.
    """
    if not unit_ids:
        return
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "unit_id": list(unit_ids), "now": now}
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, given)
        cursor.execute(GIVE_WAY, given)
    set_ends(bank, unit_ids, ends)


def set_ends(bank: Bank, unit_ids: Collection[UUID], ends: Mapping[UUID, AnnouncedEnd]) -> None:
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "unit_id": list(unit_ids),
        "ended_id": list(ends),
        "until": [end.until for end in ends.values()],
        "announced_at": [end.announced_at for end in ends.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(END, given)


def follow_announced_ends(bank: Bank, fact_ids: Collection[UUID]) -> None:
    """Observations end when the first of their facts does, also where that was told, or taken back, only now.

    Call inside the tenant transaction that changed the ends, after `lock_memory`.
    """
    if not fact_ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(FIND_RESTING, {"tenant_id": bank.tenant_id, "fact_id": list(fact_ids)})
        resting = [unit_id for (unit_id,) in cursor.fetchall()]
    if resting:
        set_ends(bank, resting, {})
