"""Closing what was announced to end, when that day has come."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Min

from banks.lifecycle.close import follow_closing
from banks.lifecycle.closings import Closed
from banks.models import Bank, Corpus, MemoryUnit, Relationship
from banks.text_index.write import retire_texts

BATCH = 500  # units that are closed in one transaction: other writers of the bank wait no longer than that

# When its end was told stays with it: who asks what was known before that day hears of the end.
CLOSE_DUE_UNITS = """
UPDATE banks_memoryunit AS unit SET expired_at = %(now)s, updated_at = %(now)s, close_reason = 'update'
WHERE unit.tenant_id = %(tenant_id)s AND unit.id IN (
    SELECT due.id FROM banks_memoryunit AS due
    WHERE due.tenant_id = %(tenant_id)s AND due.bank_id = %(bank_id)s AND due.expired_at IS NULL
      AND due.announced_at IS NOT NULL AND due.valid_until <= %(now)s
    ORDER BY due.valid_until, due.id LIMIT %(most)s
)
RETURNING unit.id, unit.valid_until, unit.close_reason, unit.superseded_by_id
"""
CLOSE_DUE_RELATIONSHIPS = """
UPDATE banks_relationship AS told SET expired_at = %(now)s, close_reason = 'update'
WHERE told.tenant_id = %(tenant_id)s AND told.bank_id = %(bank_id)s AND told.expired_at IS NULL
  AND told.announced_at IS NOT NULL AND told.valid_until <= %(now)s
RETURNING told.id
"""


def find_next_end(bank: Bank) -> datetime | None:
    """When the first announced end comes, or came. Call inside a tenant transaction."""
    ends = [
        rows.announced().filter(bank=bank).aggregate(first=Min("valid_until"))["first"]
        for rows in (MemoryUnit.objects.for_tenant(bank.tenant_id), Relationship.objects.for_tenant(bank.tenant_id))
    ]
    return min((end for end in ends if end is not None), default=None)


def close_due(bank: Bank, *, now: datetime, actor: str) -> Closed:
    """A batch; empty when nothing is left. Call inside a tenant transaction, after `lock_memory`."""
    given: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id, "now": now, "most": BATCH}
    with connection.cursor() as cursor:
        cursor.execute(CLOSE_DUE_RELATIONSHIPS, given)
        ended: list[UUID] = [row[0] for row in cursor.fetchall()]
        cursor.execute(CLOSE_DUE_UNITS, given)
        rows = cursor.fetchall()
    closed = follow_closing(bank, rows, now=now, actor=actor)
    relationship_ids = (*ended, *closed.relationship_ids)
    retire_texts(bank, Corpus.UNIT, closed.unit_ids)
    retire_texts(bank, Corpus.RELATIONSHIP, relationship_ids)
    return Closed(closed.unit_ids, relationship_ids)
