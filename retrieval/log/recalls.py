"""The log of recalls and what they cost: kept in memory and written in batches, off the request's path."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Lock
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from banks.models import Bank
from retrieval.log.entry import RecallEntry
from retrieval.log.insert_records import insert_records
from retrieval.log.periodic import Periodic
from retrieval.models import RecallRecord
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction

logger = logging.getLogger(__name__)
MOST_WAITING = 2_000  # recalls; what comes on top is not logged
SECONDS_BETWEEN = 1.0  # feedback that another process gets earlier than that does not find its recall yet
MOST_SWEPT = 5_000  # records that one batch takes along

# Banks that are gone take their records with them, and one that is about to go waits for the batch.
KEEP_BANKS = """
SELECT id FROM banks_bank WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s) AND deleted_at IS NULL
ORDER BY id FOR KEY SHARE
"""


class RecallLog:
    """One a process. The server starts the thread that writes, and stops it when it ends itself."""

    def __init__(self, *, most_waiting: int = MOST_WAITING, seconds_between: float = SECONDS_BETWEEN) -> None:
        self._most_waiting = most_waiting
        self._waiting: dict[UUID, RecallEntry] = {}
        self._being_written: dict[UUID, RecallEntry] = {}
        self._dropped = 0
        self._lock = Lock()
        periodic = Periodic(self.write, name="recall-log", seconds_between=seconds_between)
        self.start, self.stop = periodic.start, periodic.stop

    def note(self, entry: RecallEntry) -> None:
        """Never waits for the database."""
        with self._lock:
            if len(self._waiting) < self._most_waiting:
                self._waiting[entry.recall_id] = entry
            else:
                self._dropped += 1

    def find(self, bank: Bank, recall_id: UUID) -> RecallRecord | None:
        """The record of a recall that is not in the database yet: whoever marks a result at once must not be late."""
        with self._lock:
            entry = self._waiting.get(recall_id) or self._being_written.get(recall_id)
        return entry.find_record(bank) if entry else None

    def write(self) -> None:
        """All that came so far, a transaction a tenant; one that fails takes no other with it."""
        with self._lock:
            self._being_written, self._waiting = self._waiting, {}
            dropped, self._dropped = self._dropped, 0
        if dropped:
            logger.error("%d recalls came faster than they could be logged.", dropped)
        tenants: dict[UUID, list[RecallEntry]] = {}
        for entry in self._being_written.values():
            tenants.setdefault(entry.tenant_id, []).append(entry)
        for tenant_id, entries in tenants.items():
            write_or_lose(tenant_id, entries)
        with self._lock:
            self._being_written = {}


def write_or_lose(tenant_id: UUID, entries: Sequence[RecallEntry]) -> None:
    try:
        write_entries(tenant_id, entries)
    except DatabaseError:
        logger.exception("The records of %d recalls are lost.", len(entries))


def write_entries(tenant_id: UUID, entries: Sequence[RecallEntry]) -> None:
    records = [record for entry in entries for record in entry.records]
    with tenant_transaction(tenant_id):
        banks = keep_banks(tenant_id, {record.bank_id for record in records})
        insert_records([record for record in records if record.bank_id in banks])
        UsageRecord.objects.for_tenant(tenant_id).bulk_create([entry.usage for entry in entries if entry.usage])
        sweep(tenant_id)


def keep_banks(tenant_id: UUID, bank_ids: set[UUID]) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(KEEP_BANKS, {"tenant_id": tenant_id, "ids": list(bank_ids)})
        return {row[0] for row in cursor.fetchall()}


def sweep(tenant_id: UUID) -> None:
    """Call inside a tenant transaction. What another process sweeps right now is passed over."""
    rows = RecallRecord.objects.for_tenant(tenant_id)
    old = rows.filter(recalled_at__lt=get_oldest()).order_by("recalled_at").select_for_update(skip_locked=True)
    if ids := list(old.values_list("id", flat=True)[:MOST_SWEPT]):
        rows.filter(id__in=ids).delete()


def get_oldest() -> datetime:
    """From when on recalls are kept."""
    return timezone.now() - timedelta(days=settings.RECALL_LOG_DAYS)


RECALL_LOG = RecallLog()
