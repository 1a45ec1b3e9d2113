"""Validity of observations: they hold from the newest of their facts until the first one ends."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.lifecycle.history import write_moment
from banks.models import Bank, Corpus, UnitChange
from banks.text_index.write import retire_texts

# A current observation keeps its beginning when its facts are restated, unless a fact begins later. A fact that has not
# begun, or that supersedes another fact of the observation, does not count for the beginning.
BEGIN = """
WITH sourced AS (
    SELECT source.unit_id, fact.id, fact.valid_from, fact.mentioned_at, fact.superseded_by_id
    FROM banks_unitsource AS source
    JOIN banks_memoryunit AS fact ON fact.tenant_id = source.tenant_id AND fact.id = source.other_unit_id
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_id)s) AND source.role = 'summarises'
), stated AS (
    SELECT sourced.*, coalesce(sourced.valid_from > %(now)s, false) OR EXISTS (
        SELECT FROM sourced AS ended WHERE ended.unit_id = sourced.unit_id AND ended.superseded_by_id = sourced.id
    ) AS is_announced
    FROM sourced
), facts AS (
    SELECT unit_id,
        coalesce(
            max(coalesce(valid_from, mentioned_at)) FILTER (WHERE NOT is_announced),
            max(coalesce(valid_from, mentioned_at))
        ) AS known,
        CASE WHEN bool_and(is_announced) THEN max(valid_from) ELSE max(valid_from) FILTER (WHERE NOT is_announced) END
            AS begun
    FROM stated GROUP BY unit_id
)
UPDATE banks_memoryunit AS unit SET valid_until = NULL, valid_from = greatest(
    coalesce(CASE WHEN unit.valid_from <= %(now)s THEN unit.valid_from END, facts.known), facts.begun
)
FROM facts
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = facts.unit_id
"""

# A closed observation with the same words ends at the latest when the new one begins. Both would cover the same time if
# a fact was restored.
GIVE_WAY = """
UPDATE banks_memoryunit AS former SET valid_until = greatest(former.valid_from, newer.valid_from)
FROM banks_memoryunit AS newer
WHERE newer.tenant_id = %(tenant_id)s AND newer.id = ANY(%(unit_id)s) AND former.tenant_id = newer.tenant_id
  AND former.bank_id = newer.bank_id AND former.network = newer.network AND former.content_hash = newer.content_hash
  AND former.tags_hash = newer.tags_hash AND former.expired_at IS NOT NULL AND former.close_reason = 'update'
  AND (former.valid_until IS NULL OR former.valid_until > newer.valid_from)
"""

# The first end among its facts. An end that had passed when the observation was written is part of its content.
END = """
WITH ends AS (
    SELECT source.unit_id, fact.valid_until
    FROM banks_unitsource AS source
    JOIN banks_memoryunit AS fact ON fact.tenant_id = source.tenant_id AND fact.id = source.other_unit_id
    WHERE source.tenant_id = %(tenant_id)s AND source.unit_id = ANY(%(unit_id)s) AND source.role = 'summarises'
), first AS (
    SELECT unit.id, greatest(min(ends.valid_until), unit.valid_from) AS valid_until
    FROM banks_memoryunit AS unit
    JOIN ends ON ends.unit_id = unit.id AND ends.valid_until > unit.recorded_at
    WHERE unit.tenant_id = %(tenant_id)s AND unit.id = ANY(%(unit_id)s)
    GROUP BY unit.id, unit.valid_from
)
UPDATE banks_memoryunit AS unit SET valid_until = (SELECT first.valid_until FROM first WHERE first.id = unit.id)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = ANY(%(unit_id)s)
"""

# The messages and passages behind its facts. Two facts of one message are one proof.
COUNT_PROOFS = """
UPDATE banks_memoryunit AS unit SET proof_count = counted.proofs
FROM (
    SELECT summary.unit_id, greatest(1, count(DISTINCT coalesce(told.message_id, told.chunk_id))) AS proofs
    FROM banks_unitsource AS summary
    LEFT JOIN banks_unitsource AS told ON told.tenant_id = summary.tenant_id AND told.unit_id = summary.other_unit_id
    WHERE summary.tenant_id = %(tenant_id)s AND summary.unit_id = ANY(%(unit_id)s) AND summary.role = 'summarises'
    GROUP BY summary.unit_id
) AS counted
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = counted.unit_id
"""

FIND_OBSERVATIONS = """
SELECT DISTINCT observation.id FROM banks_unitsource AS source
JOIN banks_memoryunit AS observation ON observation.tenant_id = source.tenant_id AND observation.id = source.unit_id
WHERE source.tenant_id = %(tenant_id)s AND source.other_unit_id = ANY(%(fact_id)s) AND source.role = 'summarises'
  AND observation.network = 'observation' AND observation.expired_at IS NULL
"""


def follow_sources(bank: Bank, unit_ids: Collection[UUID], *, now: datetime) -> None:
    """Set the validity and the proofs of current observations, after their facts are stored as sources.

    Call inside a tenant transaction, after `lock_memory`.
    """
    if not unit_ids:
        return
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "unit_id": list(unit_ids), "now": now}
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, given)
        cursor.execute(GIVE_WAY, given)
        cursor.execute(END, given)
        cursor.execute(COUNT_PROOFS, given)


def follow_scheduled_ends(bank: Bank, fact_ids: Collection[UUID]) -> None:
    """Give observations the first end of their facts, after such an end was scheduled or cancelled.

    Call inside the tenant transaction that changed the ends, after `lock_memory`.
    """
    if not fact_ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(FIND_OBSERVATIONS, {"tenant_id": bank.tenant_id, "fact_id": list(fact_ids)})
        observed = [unit_id for (unit_id,) in cursor.fetchall()]
        if observed:
            cursor.execute(END, {"tenant_id": bank.tenant_id, "unit_id": observed})


# An observation ends with the first of its facts, or when a newer observation about one of its facts begins. If its
# facts stay valid and no newer observation names them, it ends when the first newer observation begins. If one of its
# facts was closed as a correction, the observation is a correction too.
CLOSE = """
WITH newer AS (
    SELECT unit.id, unit.valid_from FROM banks_memoryunit AS unit
    WHERE unit.tenant_id = %(tenant_id)s AND unit.id = ANY(%(newer_id)s)
), sourced AS (
    SELECT source.unit_id, source.other_unit_id AS fact_id FROM banks_unitsource AS source
    WHERE source.tenant_id = %(tenant_id)s AND source.role = 'summarises'
      AND source.unit_id = ANY(%(unit_id)s || %(newer_id)s)
), facts AS (
    SELECT sourced.unit_id, bool_or(fact.close_reason = 'correction') AS is_corrected,
        min(fact.valid_until) FILTER (WHERE fact.valid_until <= %(now)s) AS ended
    FROM sourced JOIN banks_memoryunit AS fact ON fact.tenant_id = %(tenant_id)s AND fact.id = sourced.fact_id
    GROUP BY sourced.unit_id
), followed AS (
    SELECT former.unit_id, min(newer.valid_from) AS since
    FROM sourced AS former JOIN sourced AS later USING (fact_id) JOIN newer ON newer.id = later.unit_id
    GROUP BY former.unit_id
)
UPDATE banks_memoryunit AS observation SET
    expired_at = %(now)s, updated_at = %(now)s,
    close_reason = CASE WHEN facts.is_corrected THEN 'correction' ELSE 'update' END,
    valid_until = CASE
        WHEN facts.is_corrected THEN observation.valid_until
        ELSE greatest(
            observation.valid_from,
            least(
                observation.valid_until,
                coalesce(least(facts.ended, followed.since), (SELECT min(newer.valid_from) FROM newer), %(now)s)
            )
        )
    END
FROM unnest(%(unit_id)s) AS closing (unit_id)
LEFT JOIN facts USING (unit_id) LEFT JOIN followed USING (unit_id)
WHERE observation.tenant_id = %(tenant_id)s AND observation.id = closing.unit_id AND observation.expired_at IS NULL
RETURNING observation.id, observation.valid_until, observation.close_reason
"""

# A source that is no fact, such as an episode, has no end. Its observation stays open.
FIND_WITHOUT_FACTS = """
SELECT DISTINCT observation.id FROM banks_unitsource AS source
JOIN banks_memoryunit AS observation ON observation.tenant_id = source.tenant_id AND observation.id = source.unit_id
WHERE source.tenant_id = %(tenant_id)s AND source.other_unit_id = ANY(%(fact_id)s) AND source.role = 'summarises'
  AND observation.network = 'observation' AND observation.expired_at IS NULL
  AND (observation.valid_until <= %(now)s OR NOT EXISTS (
    SELECT FROM banks_unitsource AS other
    LEFT JOIN banks_memoryunit AS fact ON fact.tenant_id = other.tenant_id AND fact.id = other.other_unit_id
    WHERE other.tenant_id = observation.tenant_id AND other.unit_id = observation.id AND fact.expired_at IS NULL
  ))
"""

# Former versions with the close reason `update`.
CORRECT_FORMER = """
UPDATE banks_memoryunit AS observation SET close_reason = 'correction', updated_at = %(now)s
FROM banks_unitsource AS source
JOIN banks_memoryunit AS fact ON fact.tenant_id = source.tenant_id AND fact.id = source.other_unit_id
WHERE observation.tenant_id = %(tenant_id)s AND observation.id = source.unit_id AND observation.network = 'observation'
  AND observation.close_reason = 'update' AND source.tenant_id = observation.tenant_id AND source.role = 'summarises'
  AND source.other_unit_id = ANY(%(fact_id)s) AND fact.close_reason = 'correction'
RETURNING observation.id, observation.valid_until, observation.close_reason
"""

Closed = tuple[UUID, datetime | None, str]


def close_observations(
    bank: Bank, unit_ids: Sequence[UUID], *, newer: Sequence[UUID] = (), actor: str, now: datetime
) -> None:
    """Close the observations. They stay in the table, for questions about the past. `newer` are the observations that
    replace them. Call inside a tenant transaction, after `lock_memory`.
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
    """Close the observations that have no open fact left, or whose end has passed. A former version with a corrected
    fact becomes a correction too. A refresh writes the others again.

    Call inside the tenant transaction that closed the facts, after `lock_memory`.
    """
    if not fact_ids:
        return
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "fact_id": list(fact_ids), "now": now}
    with connection.cursor() as cursor:
        cursor.execute(CORRECT_FORMER, given)
        corrected = cursor.fetchall()
        cursor.execute(FIND_WITHOUT_FACTS, given)
        without_facts = [unit_id for (unit_id,) in cursor.fetchall()]
    note_ends(bank, corrected, actor=actor)
    close_observations(bank, without_facts, actor=actor, now=now)


def note_ends(bank: Bank, closed: Sequence[Closed], *, actor: str) -> None:
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            UnitChange(
                unit_id=unit_id,
                action=UnitChange.Action.SUPERSEDED,
                after={"valid_until": write_moment(until), "close_reason": reason},
                actor=actor,
            )
            for unit_id, until, reason in closed
        ]
    )
