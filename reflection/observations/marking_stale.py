"""Stale entities: their facts changed, and no refresh has read the change yet.

A refresh waits until an entity is quiet for a while, so that many changes make one refresh.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Min, OuterRef, Subquery

from banks.models import Bank, Mention
from reflection.models import ObservedEntity, ObservedScope
from tenants.identifiers import uuid7

LONGEST_WAIT = 10  # quiet periods, since the first change

# The join drops entities that were deleted meanwhile. An entity that the model refused keeps its due time, whatever is
# added to it, unless some of its facts have tags that were not refused. An altered fact may be the one that the model
# refused, so it makes the entity due again.
MARK = """
INSERT INTO reflection_observedentity AS known
    (id, tenant_id, bank_id, entity_id, stale_since, due_at, changes, altered_at)
SELECT marked.id, %(tenant_id)s, %(bank_id)s, entity.id, %(now)s, %(due_at)s, 1, %(altered_at)s::timestamptz
FROM unnest(%(id)s::uuid[], %(entity_id)s::uuid[]) AS marked (id, entity_id)
JOIN banks_entity AS entity
  ON entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s AND entity.id = marked.entity_id
ORDER BY entity.id
ON CONFLICT (entity_id) DO UPDATE SET
    stale_since = coalesce(known.stale_since, excluded.stale_since),
    due_at = CASE
        WHEN known.refused_since IS NOT NULL AND known.due_at IS NOT NULL AND excluded.altered_at IS NULL
            AND NOT EXISTS (
                SELECT FROM banks_mention AS mention
                JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
                WHERE mention.tenant_id = known.tenant_id AND mention.entity_id = known.entity_id
                  AND unit.expired_at IS NULL AND unit.network IN ('world', 'experience')
                  AND NOT EXISTS (
                    SELECT FROM reflection_observedscope AS scope
                    WHERE scope.tenant_id = known.tenant_id AND scope.entity_id = known.entity_id
                      AND scope.tags_hash = unit.tags_hash AND scope.refused_since IS NOT NULL
                )
            )
        THEN known.due_at
        ELSE least(excluded.due_at, coalesce(known.stale_since, excluded.stale_since) + %(longest)s)
    END,
    changes = known.changes + 1,
    altered_at = coalesce(excluded.altered_at, known.altered_at)
"""


def mark_stale(
    bank: Bank, entity_ids: Iterable[UUID], *, now: datetime, quiet: timedelta | None = None, is_altered: bool = False
) -> None:
    """`quiet`: the time without another change, by default OBSERVATION_QUIET_SECONDS. `is_altered`: known facts were
    edited, closed or deleted.
    """
    ids = sorted(set(entity_ids))
    if not ids:
        return
    period = timedelta(seconds=settings.OBSERVATION_QUIET_SECONDS)
    values: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "now": now,
        "due_at": now + (period if quiet is None else quiet),
        "altered_at": now if is_altered else None,
        "longest": LONGEST_WAIT * period,
        "id": [uuid7() for _ in ids],
        "entity_id": ids,
    }
    with connection.cursor() as cursor:
        cursor.execute(MARK, values)


def ask_again(bank: Bank, entity_id: UUID | None, *, now: datetime) -> None:
    """Make refused scopes due at once. Every scope of the named entity is read whole again, changed or not."""
    scopes = ObservedScope.objects.of_bank(bank)
    scopes.filter(due_at__isnull=False).update(due_at=now)
    if entity_id is not None:
        scopes.filter(entity_id=entity_id).update(told="", seen_until=None)


def find_stale(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Since when each of these observations may be out of date."""
    stale = ObservedEntity.objects.of_bank(bank).stale().filter(entity_id=OuterRef("entity_id"))
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    dated = mentions.annotate(since=Subquery(stale.values("stale_since"))).filter(since__isnull=False)
    return dict(dated.values("unit_id").annotate(first=Min("since")).values_list("unit_id", "first"))
