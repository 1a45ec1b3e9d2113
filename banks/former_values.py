"""Former values of memory units: the columns of a unit before each change of it, as SQL and for single pages.

`banks_unitchange` holds changes of units. An app whose units change in another way registers a source of its own when
it starts, so that a recall under `known_at` needs to know none of them.
"""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import RawCursor

# Rows of (before, changed_at, id) for the alias `unit`. `before` has the former value of each column that changed. The
# oldest row since a moment holds the values of that moment. `$1` is the tenant, `{known}` the moment.
UNIT_CHANGES = """
SELECT change.before, change.changed_at, change.id FROM banks_unitchange AS change
WHERE change.tenant_id = $1 AND change.unit_id = unit.id AND change.changed_at > {known}
"""
_sources = [UNIT_CHANGES]
# An observation ends with its facts, and has no change of its own when such an end is scheduled or cancelled.
ENDS_OF_FACTS = """
SELECT jsonb_build_object('valid_until', change.before->'valid_until'), change.changed_at, change.id
FROM banks_unitsource AS source
JOIN banks_unitchange AS change ON change.unit_id = source.other_unit_id AND change.tenant_id = $1
WHERE source.tenant_id = $1 AND source.unit_id = unit.id AND source.role = 'summarises'
  AND change.changed_at > $3 AND change.before ? 'valid_until' AND change.action <> 'superseded'
"""
FORMER = """
SELECT unit.id, change.before
FROM unnest($2::uuid[]) AS unit (id)
CROSS JOIN LATERAL ({former_values} UNION ALL {ends_of_facts}) AS change (before, changed_at, id)
ORDER BY change.changed_at DESC, change.id DESC
"""


def register_former_values(source: str) -> None:
    """Call in `AppConfig.ready`."""
    if source not in _sources:
        _sources.append(source)


def write_former_values(known: str) -> str:
    """All sources, for the moment that the SQL expression `known` gives."""
    return "UNION ALL".join(source.format(known=known) for source in _sources)


def read_former_values(tenant_id: UUID, units: Collection[UUID], known_at: datetime) -> dict[UUID, dict[str, Any]]:
    """By unit, the values at `known_at` of the columns that changed since. Call inside a tenant transaction."""
    former_values = write_former_values("$3::timestamptz")
    statement = FORMER.format(former_values=former_values, ends_of_facts=ENDS_OF_FACTS)
    former: dict[UUID, dict[str, Any]] = {}
    with RawCursor(connection.connection) as cursor:
        cursor.execute(statement, [tenant_id, list(units), known_at])
        for unit_id, before in cursor.fetchall():
            former.setdefault(unit_id, {}).update(json.loads(before))  # the oldest comes last, and counts
    return former
