"""Noting that an entity's facts changed. A refresh waits until it is quiet for a while, so that many make one."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank
from tenants.identifiers import uuid7

QUIET = timedelta(seconds=20)  # without another change
LONGEST_WAIT = timedelta(minutes=2)  # since the first one

# An entity that is gone meanwhile needs no observations, so only those that are there are marked.
MARK = """
INSERT INTO reflection_observedentity AS known (id, tenant_id, bank_id, entity_id, stale_since, due_at, changes, facts)
SELECT marked.id, %(tenant_id)s, %(bank_id)s, entity.id, %(now)s, %(due_at)s, 1, 0
FROM unnest(%(id)s::uuid[], %(entity_id)s::uuid[]) AS marked (id, entity_id)
JOIN banks_entity AS entity
  ON entity.tenant_id = %(tenant_id)s AND entity.bank_id = %(bank_id)s AND entity.id = marked.entity_id
ORDER BY entity.id
ON CONFLICT (entity_id) DO UPDATE SET
    stale_since = coalesce(known.stale_since, excluded.stale_since),
    due_at = least(excluded.due_at, coalesce(known.stale_since, excluded.stale_since) + %(longest)s),
    changes = known.changes + 1
"""


def mark_stale(bank: Bank, entity_ids: Collection[UUID], *, now: datetime, quiet: timedelta = QUIET) -> None:
    """Call inside a tenant transaction."""
    ids = sorted(set(entity_ids))
    if not ids:
        return
    values: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "now": now,
        "due_at": now + quiet,
        "longest": LONGEST_WAIT,
        "id": [uuid7() for _ in ids],
        "entity_id": ids,
    }
    with connection.cursor() as cursor:
        cursor.execute(MARK, values)
