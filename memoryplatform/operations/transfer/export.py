"""Exporting a bank: write one snapshot into a temporary file, then send the file.

Writes during the export are not in the file, and nothing is in it by half. The snapshot lasts as long as the database
needs to read it, never as long as a client needs to fetch it. A file that waits for its reader takes disk space, and
one that is being written takes a database connection: a tenant has few of the former, the process few of the latter.
"""

from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from threading import BoundedSemaphore, Event, Lock
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from banks.errors import BankExists, BankNotFound
from banks.models import Bank, BankAlias
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.banks.profile import bank_transaction, find_banks
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CLONE_BANK, EXPORT_BANK
from memoryplatform.operations.running.submit import submit
from memoryplatform.operations.transfer.errors import ExportLeft, ExportTooSlow, TooManyExports
from memoryplatform.operations.transfer.lines import END, HEADER, write_line, write_row
from memoryplatform.operations.transfer.tables import (
    PROFILE,
    SELF_REFERENCES,
    TABLES,
    Table,
    name_columns,
    write_profile,
)
from memoryplatform.operations.transfer.values import write_value
from providers.deadline import Deadline
from tenants.models import Quota
from tenants.quotas import check_room
from tenants.transactions import let_go_of_connection, tenant_transaction

MAX_PER_TENANT = 2
MAX_WRITERS = 4  # of all tenants: a fifth of the default connections of a process


@dataclass(frozen=True)
class ExportSlot:
    deadline: Deadline = field(default_factory=lambda: Deadline.after(settings.EXPORT_SECONDS))
    _left: Event = field(default_factory=Event)

    @property
    def seconds_left(self) -> float:
        return self.deadline.remaining()

    @property
    def is_taken(self) -> bool:
        return not self._left.is_set() and not self.deadline.is_over

    def leave(self) -> None:
        self._left.set()

    def check(self) -> None:
        if self._left.is_set():
            raise ExportLeft
        if self.deadline.is_over:
            raise ExportTooSlow

    @contextmanager
    def wait_to_write(self) -> Iterator[None]:
        """Wait until few enough exports are being written. Hold no database connection meanwhile."""
        if not WRITERS.acquire(timeout=self.seconds_left):
            raise ExportTooSlow
        try:
            yield
        finally:
            WRITERS.release()


class ExportSlots:
    def __init__(self) -> None:
        self._lock = Lock()
        self._by_tenant: dict[UUID, list[ExportSlot]] = defaultdict(list)

    def take(self, tenant_id: UUID) -> ExportSlot:
        """A slot whose time is over is free again, even if its owner did not leave it."""
        with self._lock:
            taken = [slot for slot in self._by_tenant.pop(tenant_id, []) if slot.is_taken]
            if len(taken) < MAX_PER_TENANT:
                taken.append(ExportSlot())
                self._by_tenant[tenant_id] = taken
                return taken[-1]
            self._by_tenant[tenant_id] = taken
        raise TooManyExports(MAX_PER_TENANT)


EXPORT_SLOTS = ExportSlots()
WRITERS = BoundedSemaphore(MAX_WRITERS)


FORMAT = "memoryplatform-bank"
VERSION = 2
READABLE = (1, 2)
ROWS_AT_ONCE = 500
SESSION_SETTINGS = {"idle_in_transaction_session_timeout": "60s"}  # for slow disks
CHUNK_BYTES = 65_536


@dataclass(frozen=True)
class Export:
    """The caller that sends the chunks leaves the slot at the end."""

    chunks: Generator[bytes, None, None]
    slot: ExportSlot


def export_bank(access: BankAccess, bank_id: str, *, vectors: bool) -> Export:
    """A missing bank raises at once, before anything is read."""
    with bank_transaction(access, bank_id) as bank:
        access.record("bank.exported", f"bank:{bank_id}")
        slot = EXPORT_SLOTS.take(access.tenant_id)
    return Export(write_and_read(bank, slot, vectors=vectors), slot)


TENANT_FORMAT, TENANT_VERSION = "memoryplatform-tenant", 1


def export_tenant(access: TenantAccess, *, vectors: bool, first_bank: str = "") -> Export:
    """All banks, each as a file of its own, between a header and an end of the whole. A file that broke off goes on
    with the bank that it broke off in: `first_bank`.
    """
    access.require(Right.MANAGE)
    with tenant_transaction(access.tenant_id):
        rows = Bank.objects.for_tenant(access.tenant_id).live().filter(bank_id__gte=first_bank)
        bank_ids = list(rows.order_by("bank_id").values_list("bank_id", flat=True))
        access.record("tenant.exported", f"tenant:{access.tenant_id}")
        slot = EXPORT_SLOTS.take(access.tenant_id)
    return Export(write_banks(access.tenant_id, bank_ids, slot, vectors=vectors), slot)


def write_banks(
    tenant_id: UUID, bank_ids: list[str], slot: ExportSlot, *, vectors: bool
) -> Generator[bytes, None, None]:
    """Each bank is one snapshot. A bank that was deleted meanwhile is left out."""
    named = {"format": TENANT_FORMAT, "version": TENANT_VERSION, "banks": bank_ids}
    yield write_line(HEADER, {**named, "exported_at": timezone.now().isoformat()})
    count = 0
    for bank_id in bank_ids:
        with tenant_transaction(tenant_id):
            bank = Bank.objects.for_tenant(tenant_id).live().filter(bank_id=bank_id).first()
        let_go_of_connection()
        if bank is not None:
            yield from write_and_read(bank, slot, vectors=vectors)
            count += 1
    yield write_line(END, {"banks": count})


def write_and_read(bank: Bank, slot: ExportSlot, *, vectors: bool) -> Generator[bytes, None, None]:
    with TemporaryFile() as file:
        with slot.wait_to_write():
            try:
                for line in write_lines(bank, vectors=vectors):
                    slot.check()
                    file.write(line)
            finally:
                let_go_of_connection()
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
            slot.check()


def write_lines(bank: Bank, *, vectors: bool) -> Iterator[bytes]:
    counts: Counter[str] = Counter()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with tenant_transaction(bank.tenant_id, settings=SESSION_SETTINGS):
            bank = Bank.objects.for_tenant(bank.tenant_id).get(id=bank.id)
            yield write_line(HEADER, build_header(bank, vectors=vectors))
            yield write_row(PROFILE, write_profile(bank))
            for table in TABLES:
                for row in read_rows(bank, table, vectors=vectors):
                    counts[table.name] += 1
                    yield write_row(table.name, row)
            for name, table in SELF_REFERENCES.items():
                for row in read_self_references(bank, table):
                    counts[name] += 1
                    yield write_row(name, row)
            yield write_line(END, {"rows": dict(counts)})


def build_header(bank: Bank, *, vectors: bool) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "bank_id": bank.bank_id,
        "embedding_model": bank.embedding_model,
        "vectors": vectors,
        "exported_at": timezone.now().isoformat(),
    }


def read_rows(bank: Bank, table: Table, *, vectors: bool) -> Iterator[dict[str, Any]]:
    fields = table.fields(vectors=vectors)
    rows = table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank_path: bank.id}).order_by("id")
    columns = name_columns(bank)
    for values in fetch_in_chunks(
        rows.values_list(*(columns.get(one.attname, one.attname) for one in fields.values()))
    ):
        yield {name: write_value(one, value) for (name, one), value in zip(fields.items(), values, strict=True)}


def read_self_references(bank: Bank, table: Table) -> Iterator[dict[str, Any]]:
    column = table.self_reference_column
    rows = table.model.objects.for_tenant(bank.tenant_id).filter(
        **{table.bank_path: bank.id, f"{table.self_reference}__isnull": False}
    )
    for row_id, later in fetch_in_chunks(rows.order_by("id").values_list("id", column)):
        yield {"id": str(row_id), column: str(later)}


def fetch_in_chunks(rows: QuerySet[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """Use a server-side cursor. The settings turn them off for cursors that outlive a transaction; these don't."""
    rows_of_chunks: Iterator[tuple[Any, ...]] = rows._iterator(use_chunked_fetch=True, chunk_size=ROWS_AT_ONCE)  # type: ignore[attr-defined]  # noqa: SLF001  # what iterator() calls
    return rows_of_chunks


def submit_export(access: BankAccess, bank_id: str) -> Operation:
    """The export is written when the client fetches it."""
    with bank_transaction(access, bank_id) as bank:
        return submit(access.tenant_id, EXPORT_BANK, payload={}, bank=bank)


def submit_clone(access: BankAccess, bank_id: str, *, target: str) -> Operation:
    with bank_transaction(access, bank_id) as bank:
        check_target(access, target)
        check_room(access.tenant_id, Quota.BANKS, Quota.MEMORIES, Quota.STORED_BYTES)
        access.record("bank.cloned", f"bank:{bank_id}", {"target": target})
        payload = {"target": target, "asked_by": access.actor.api_key_prefix}
        key = access.actor.api_key_prefix
        return submit(access.tenant_id, CLONE_BANK, payload=payload, bank=bank, api_key_prefix=key)


def check_target(access: BankAccess, bank_id: str) -> None:
    """Refuse a target bank that exists. Call inside a tenant transaction."""
    if not access.reaches(bank_id):
        raise BankNotFound(bank_id)
    aliases = BankAlias.objects.for_tenant(access.tenant_id).filter(alias=bank_id)
    if find_banks(access).filter(bank_id=bank_id).exists() or aliases.exists():
        raise BankExists(bank_id)
