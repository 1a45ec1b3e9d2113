"""Writing down that relationships are over, or will be on a day that was told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.lifecycle.announced.relationships import take_back_ends_never_so
from banks.models import Bank

CLOSE = """
UPDATE banks_relationship AS told SET
    valid_until = greatest(least(over.since, told.valid_until), told.valid_from), expired_at = %(now)s,
    announced_at = NULL, close_reason = 'update', superseded_by_id = over.successor_id
FROM unnest(%(id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[]) AS over (id, successor_id, since)
WHERE told.tenant_id = %(tenant_id)s AND told.id = over.id
  AND NOT least(over.since, told.valid_until) > greatest(%(now)s, told.valid_from)
RETURNING told.id
"""

# Until then it is so. What ends it sooner than what was announced before takes its place.
ANNOUNCE = """
UPDATE banks_relationship AS told SET
    valid_until = least(over.since, told.valid_until), announced_at = %(now)s, superseded_by_id = over.successor_id
FROM unnest(%(id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[]) AS over (id, successor_id, since)
WHERE told.tenant_id = %(tenant_id)s AND told.id = over.id AND told.expired_at IS NULL
  AND least(over.since, told.valid_until) > greatest(%(now)s, told.valid_from)
  AND (told.announced_at IS NULL OR over.since < told.valid_until)
"""

# What took its place holds since then, also where nobody said since when.
BEGIN = """
UPDATE banks_relationship AS told SET valid_from = begun.since
FROM unnest(%(successor_id)s::uuid[], %(since)s::timestamptz[]) AS begun (id, since)
WHERE told.tenant_id = %(tenant_id)s AND told.id = begun.id AND told.valid_from IS NULL
  AND (told.valid_until IS NULL OR told.valid_until >= begun.since)
"""


@dataclass(frozen=True)
class Over:
    """A relationship that ends when its successor begins, or that was said to be over: then nothing takes its place."""

    relationship_id: UUID
    text: str
    since: datetime
    successor_id: UUID | None
    teller_id: UUID | None  # the unit that says so, where one is left


def write_ends(bank: Bank, over: Sequence[Over], *, now: datetime) -> tuple[UUID, ...]:
    """Returns those that are closed by now. In this order: what was to end by what is closed now may end by others."""
    if not over:
        return ()
    ended: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "now": now,
        "id": [one.relationship_id for one in over],
        "successor_id": [one.successor_id for one in over],
        "since": [one.since for one in over],
    }
    with connection.cursor() as cursor:
        cursor.execute(CLOSE, ended)
        closed_ids = tuple(row[0] for row in cursor.fetchall())
        take_back_ends_never_so(bank, closed_ids, now=now)
        if any(one.since > now for one in over):
            cursor.execute(ANNOUNCE, ended)
        cursor.execute(BEGIN, ended)
    return closed_ids
