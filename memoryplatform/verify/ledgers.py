"""The ledgers of a tenant: storage against the stored rows, sums of days against the usage ledger."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from memoryplatform.verify.check import Finding, TenantCheck, execute, fetch, list_finding, repeatable_read
from tenants.transactions import tenant_transaction
from tenants.usage import COLUMNS, LEDGER, start_of, sum_usage_days

# The sums that the triggers of `banks/sql/storage_counts.sql` should have.
STORED = """
SELECT (SELECT count(*) FROM banks_memoryunit WHERE tenant_id = %(tenant_id)s),
       (SELECT coalesce(sum(octet_length(text)), 0) FROM banks_memoryunit WHERE tenant_id = %(tenant_id)s)
       + (SELECT coalesce(sum(octet_length(text)), 0) FROM banks_document WHERE tenant_id = %(tenant_id)s)
       + (SELECT coalesce(sum(octet_length(content)), 0) FROM banks_message WHERE tenant_id = %(tenant_id)s)
"""
COUNTED = """
SELECT coalesce(sum(memories), 0), coalesce(sum(stored_bytes), 0)
FROM tenants_storagechange WHERE tenant_id = %(tenant_id)s
"""
CORRECT_STORAGE = """
INSERT INTO tenants_storagechange (id, tenant_id, day, memories, stored_bytes, transaction)
VALUES (gen_random_uuid(), %(tenant_id)s, (now() AT TIME ZONE 'utc')::date, %(memories)s, %(stored_bytes)s, 0)
"""
LAST_DAY = "SELECT max(day) FROM tenants_usageday WHERE tenant_id = %(tenant_id)s"
WRONG_DAYS = f"""
WITH stored AS (SELECT * FROM tenants_usageday WHERE tenant_id = %(tenant_id)s)
SELECT DISTINCT day FROM (
    (SELECT * FROM ({LEDGER}) AS made EXCEPT ALL SELECT {COLUMNS} FROM stored)
    UNION ALL (SELECT {COLUMNS} FROM stored EXCEPT ALL SELECT * FROM ({LEDGER}) AS made)
) AS differing ORDER BY day
"""  # noqa: S608  # our own names


def find_difference(tenant_id: UUID) -> tuple[int, int]:
    """Memories and bytes that are stored and not counted."""
    values = {"tenant_id": tenant_id}
    ((memories, stored_bytes),), ((counted, counted_bytes),) = fetch(STORED, values), fetch(COUNTED, values)
    return int(memories - counted), int(stored_bytes - counted_bytes)


def find_storage(tenant_id: UUID) -> Finding:
    memories, stored_bytes = find_difference(tenant_id)
    if not memories and not stored_bytes:
        return Finding()
    return list_finding([f"{memories:+} memories, {stored_bytes:+} bytes"])


def correct_storage(tenant_id: UUID) -> None:
    """Adds one row with the difference. Both counts are of one state, and writers change both in one transaction."""
    with repeatable_read(tenant_id):
        memories, stored_bytes = find_difference(tenant_id)
        execute(CORRECT_STORAGE, {"tenant_id": tenant_id, "memories": memories, "stored_bytes": stored_bytes})


def list_wrong_days(tenant_id: UUID) -> list[date]:
    ((last,),) = fetch(LAST_DAY, {"tenant_id": tenant_id})
    if last is None:
        return []
    span = {"start": datetime.min.replace(tzinfo=UTC), "end": start_of(last + timedelta(days=1))}
    return [day for (day,) in fetch(WRONG_DAYS, {"tenant_id": tenant_id, **span})]


def find_wrong_days(tenant_id: UUID) -> Finding:
    return list_finding(list_wrong_days(tenant_id))


def sum_again(tenant_id: UUID) -> None:
    with tenant_transaction(tenant_id):
        wrong = list_wrong_days(tenant_id)
        if wrong:
            sum_usage_days(tenant_id, again_since=min(wrong))


CHECKS = [
    TenantCheck("ledgers: storage counts the stored rows", find_storage, correct_storage),
    TenantCheck("ledgers: days are the sums of the usage ledger", find_wrong_days, sum_again),
]
