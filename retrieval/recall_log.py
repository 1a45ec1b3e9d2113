"""The recall log: a record of each recall in each bank that it asked, its usage, and its entry in the audit log.

Entries wait in memory and are written in batches, off the path of requests.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from banks.models import Bank
from retrieval.analysis import clean_query
from retrieval.models import RecallRecord
from retrieval.periodic import Periodic
from retrieval.types import RecallItem, RecallQuery, RecallResult, round_relevance
from tenants.audit import SYSTEM, Actor, build_audit_event
from tenants.models import AuditEvent, UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import build_record as build_usage
from tenants.usage import write_records as write_usage

logger = logging.getLogger(__name__)
MOST_WAITING = 2_000  # recalls; further ones are not logged
SECONDS_BETWEEN = 1.0  # a process that gets feedback sooner than that may not find the recall of another process
MOST_SWEPT = 5_000  # old records deleted with one batch

# A bank that was deleted takes its records with it, and a running deletion waits for the batch.
KEEP_BANKS = """
SELECT id FROM banks_bank WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s) AND deleted_at IS NULL
ORDER BY id FOR KEY SHARE
"""
TABLE = RecallRecord._meta.db_table
COLUMNS = tuple(field.attname for field in RecallRecord._meta.concrete_fields)
NAMES = ", ".join(COLUMNS)
# One JSON text for all rows. `bulk_create` sends arrays of JSON and escapes each quotation mark once more, in Python:
# 5 ms of processor time a record, while requests wait for the interpreter.
INSERT = f"INSERT INTO {TABLE} ({NAMES}) SELECT {NAMES} FROM jsonb_populate_recordset(NULL::{TABLE}, %s::jsonb)"  # noqa: S608  # names of the model


@dataclass(frozen=True)
class LoggedResult:
    id: UUID
    kind: str
    rank: int


@dataclass(frozen=True)
class RecallEntry:
    recall_id: UUID
    tenant_id: UUID
    records: tuple[RecallRecord, ...]
    usage: UsageRecord | None  # None: the caller of the recall counts its usage
    events: tuple[AuditEvent, ...] = ()

    def find_record(self, bank: Bank) -> RecallRecord | None:
        return next((record for record in self.records if record.bank_id == bank.id), None)


@dataclass(frozen=True)
class Call:
    recall_id: UUID
    recalled_at: datetime
    milliseconds: float
    purpose: str = RecallRecord.Purpose.RECALL
    actor: Actor = SYSTEM


def build_entry(banks: Sequence[Bank], query: RecallQuery, result: RecallResult, call: Call) -> RecallEntry:
    """A trace names memories of every bank that was asked, so a call across several banks logs none."""
    shared = {
        "tenant_id": banks[0].tenant_id,
        "recall_id": call.recall_id,
        "recalled_at": call.recalled_at,
        "purpose": call.purpose,
        "query": clean_query(query.text),
        "query_type": result.analysis.type.value,
        "milliseconds": {"total": call.milliseconds, **result.milliseconds},
        "left_out": [{"channel": one.channel.value, "reason": one.reason} for one in result.left_out],
        "trace": result.trace if len(banks) == 1 else None,
    }
    ranked = list(enumerate(result.items, 1))
    records = tuple(
        build_record(bank, [(rank, item) for rank, item in ranked if item.bank_id == bank.bank_id], shared)
        for bank in banks
    )
    bank_id = banks[0].bank_id if len(banks) == 1 else ""
    usage, events = None, []
    if call.purpose == RecallRecord.Purpose.RECALL:
        usage = build_usage(
            UsageRecord.Kind.RECALL,
            result.usage,
            bank_id=bank_id,
            api_key_prefix=call.actor.api_key_prefix,
        )
        detail = {"recall_id": str(call.recall_id)}
        events = [build_audit_event(call.actor, "recall.answered", f"bank:{bank.bank_id}", detail) for bank in banks]
    return RecallEntry(call.recall_id, banks[0].tenant_id, records, usage, tuple(events))


def build_record(bank: Bank, ranked: Sequence[tuple[int, RecallItem]], shared: Mapping[str, Any]) -> RecallRecord:
    results = [render_result(rank, item) for rank, item in ranked]
    return RecallRecord(bank=bank, results=results, tokens=sum(item.tokens for _, item in ranked), **shared)


def render_result(rank: int, item: RecallItem) -> dict[str, Any]:
    return {
        "id": str(item.candidate.id),
        "kind": item.candidate.kind,
        "rank": rank,
        "tokens": item.tokens,
        "final": item.scores.final,
        "relevance": round_relevance(item.scores.relevance),
        "ranks": {str(channel): place.rank for channel, place in item.scores.places.items()},
    }


def find_result(record: RecallRecord, memory_id: UUID) -> LoggedResult | None:
    wanted = str(memory_id)
    found = next((one for one in record.results if one["id"] == wanted), None)
    return LoggedResult(memory_id, found["kind"], found["rank"]) if found else None


class RecallLog:
    """One per process. The server starts and stops the thread that writes."""

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
        """The record of a recall that is not in the database yet, for feedback that comes at once."""
        with self._lock:
            entry = self._waiting.get(recall_id) or self._being_written.get(recall_id)
        return entry.find_record(bank) if entry else None

    def write(self) -> None:
        """Everything that waits, one transaction a tenant. A failed transaction costs no other tenant's records."""
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
        write_usage(tenant_id, [entry.usage for entry in entries if entry.usage])
        AuditEvent.objects.for_tenant(tenant_id).bulk_create([event for entry in entries for event in entry.events])
        sweep(tenant_id)


def insert_records(records: Sequence[RecallRecord]) -> None:
    """Call inside the transaction of their tenant."""
    if records:
        rows = [{name: getattr(record, name) for name in COLUMNS} for record in records]
        with connection.cursor() as cursor:
            cursor.execute(INSERT, [orjson.dumps(rows).decode()])


def keep_banks(tenant_id: UUID, bank_ids: set[UUID]) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(KEEP_BANKS, {"tenant_id": tenant_id, "ids": list(bank_ids)})
        return {row[0] for row in cursor.fetchall()}


def sweep(tenant_id: UUID) -> None:
    """Call inside a tenant transaction. Rows that another process is sweeping are skipped."""
    rows = RecallRecord.objects.for_tenant(tenant_id)
    old = rows.filter(recalled_at__lt=get_oldest()).order_by("recalled_at").select_for_update(skip_locked=True)
    if ids := list(old.values_list("id", flat=True)[:MOST_SWEPT]):
        rows.filter(id__in=ids).delete()


def get_oldest() -> datetime:
    """The time before which records are deleted."""
    return timezone.now() - timedelta(days=settings.RECALL_LOG_DAYS)


RECALL_LOG = RecallLog()
