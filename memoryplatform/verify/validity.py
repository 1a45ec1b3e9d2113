"""Validity chains of memories and relationships: closed and superseded rows agree with their ends."""

from memoryplatform.verify.check import BankCheck, find_in_bank

TABLES = ("banks_memoryunit", "banks_relationship")

# From the newest rows back: a superseded row that is never reached is in a circle, or leads into one.
CIRCLES = """
WITH RECURSIVE sound AS (
    SELECT newest.id FROM {table} AS newest
    WHERE newest.tenant_id = %(tenant_id)s AND newest.bank_id = %(bank_id)s AND newest.superseded_by_id IS NULL
    UNION ALL
    SELECT older.id FROM {table} AS older JOIN sound ON older.superseded_by_id = sound.id
    WHERE older.tenant_id = %(tenant_id)s
)
SELECT id FROM {table}
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND superseded_by_id IS NOT NULL
EXCEPT SELECT id FROM sound
"""
# A row with a successor is closed, or its end is scheduled.
STILL_OPEN = """
SELECT id FROM {table}
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND superseded_by_id IS NOT NULL
  AND expired_at IS NULL AND valid_until IS NULL
"""
# Nothing was known in between: the older row was closed before its successor was recorded.
GAPS = """
SELECT older.id FROM {table} AS older
JOIN {table} AS newer ON newer.tenant_id = older.tenant_id AND newer.id = older.superseded_by_id
WHERE older.tenant_id = %(tenant_id)s AND older.bank_id = %(bank_id)s AND older.expired_at < newer.recorded_at
"""
# An update was true until its successor began. A dated event keeps no end.
WITHOUT_END = """
SELECT id FROM {table}
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND superseded_by_id IS NOT NULL
  AND close_reason = 'update' AND valid_until IS NULL
"""
OTHER_NETWORK = """
SELECT older.id FROM banks_memoryunit AS older
JOIN banks_memoryunit AS newer ON newer.tenant_id = older.tenant_id AND newer.id = older.superseded_by_id
WHERE older.tenant_id = %(tenant_id)s AND older.bank_id = %(bank_id)s
  AND (older.network = 'opinion') <> (newer.network = 'opinion')
"""
# Every closing writes a step of the history.
UNTRACED = """
SELECT unit.id FROM banks_memoryunit AS unit
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.expired_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM banks_unitchange AS change WHERE change.tenant_id = unit.tenant_id AND change.unit_id = unit.id
)
"""


def of_both(statement: str) -> str:
    """For memories and relationships."""
    return " UNION ALL ".join(f"({statement.format(table=table)})" for table in TABLES)


CHECKS = [
    BankCheck("validity: no circle of successors", find_in_bank(of_both(CIRCLES))),
    BankCheck("validity: a superseded row is closed or has an end", find_in_bank(of_both(STILL_OPEN))),
    BankCheck("validity: a successor is known before its predecessor closes", find_in_bank(of_both(GAPS))),
    BankCheck("validity: an update ends what it supersedes", find_in_bank(of_both(WITHOUT_END))),
    BankCheck("validity: an opinion supersedes opinions", find_in_bank(OTHER_NETWORK)),
    BankCheck("validity: every closing is in the history", find_in_bank(UNTRACED)),
]
