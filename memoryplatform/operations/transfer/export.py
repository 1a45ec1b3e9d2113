"""Writing a bank out from one snapshot, into a file of the service's own, and handing that on.

What was written while the export ran is not in it, and nothing is in it by half. The snapshot is held as long as the
database takes to read it, never as long as somebody takes to fetch it.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.transfer.lines import END, HEADER, write_line, write_row
from memoryplatform.operations.transfer.places import PLACES, Place
from memoryplatform.operations.transfer.profile import NAME as PROFILE
from memoryplatform.operations.transfer.profile import write_profile
from memoryplatform.operations.transfer.tables import LATER, TABLES, Table
from memoryplatform.operations.transfer.values import write_value
from tenants.audit import record
from tenants.transactions import let_go_of_connection, tenant_transaction

FORMAT = "memoryplatform-bank"
VERSION = 2
READABLE = (1, 2)
ROWS_AT_ONCE = 500
PATIENCE = {"idle_in_transaction_session_timeout": "60s"}  # for a disk that is slow, or full and slow to say so
PIECE = 65_536  # bytes handed on at once


@dataclass(frozen=True)
class Export:
    """Whoever hands the pieces on leaves the place when he is done."""

    pieces: Generator[bytes, None, None]
    place: Place


def export_bank(access: BankAccess, bank_id: str, *, vectors: bool) -> Export:
    """A bank that is not there is told at once, before anything is read."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        record(access.tenant_id, actor=access.actor, action="bank.exported", target=f"bank:{bank_id}")
        place = PLACES.take(access.tenant_id)
    return Export(hand_on(bank, place, vectors=vectors), place)


def hand_on(bank: Bank, place: Place, *, vectors: bool) -> Generator[bytes, None, None]:
    with TemporaryFile() as file:
        with place.turn_to_write():
            write_file(file, bank, place, vectors=vectors)
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece
            place.check()


def write_file(file: IO[bytes], bank: Bank, place: Place, *, vectors: bool) -> None:
    try:
        for line in write_lines(bank, vectors=vectors):
            place.check()
            file.write(line)
    finally:
        let_go_of_connection()


def write_lines(bank: Bank, *, vectors: bool) -> Iterator[bytes]:
    counts: Counter[str] = Counter()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with tenant_transaction(bank.tenant_id, settings=PATIENCE):
            yield write_line(HEADER, describe(bank, vectors=vectors))
            yield write_row(PROFILE, write_profile(Bank.objects.for_tenant(bank.tenant_id).get(id=bank.id)))
            for table in TABLES:
                for row in read_rows(bank, table, vectors=vectors):
                    counts[table.name] += 1
                    yield write_row(table.name, row)
            for name, table in LATER.items():
                for row in read_later(bank, table):
                    counts[name] += 1
                    yield write_row(name, row)
            yield write_line(END, {"rows": dict(counts)})


def describe(bank: Bank, *, vectors: bool) -> dict[str, Any]:
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
    rows = table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank: bank.id}).order_by("id")
    for values in in_pieces(rows.values_list(*(field.attname for field in fields.values()))):
        yield {name: write_value(field, value) for (name, field), value in zip(fields.items(), values, strict=True)}


def read_later(bank: Bank, table: Table) -> Iterator[dict[str, Any]]:
    column = f"{table.later}_id"
    rows = table.model.objects.for_tenant(bank.tenant_id).filter(
        **{table.bank: bank.id, f"{table.later}__isnull": False}
    )
    for row_id, later in in_pieces(rows.order_by("id").values_list("id", column)):
        yield {"id": str(row_id), column: str(later)}


def in_pieces(rows: QuerySet[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """By a cursor of the server's. The settings turn them off, for those that outlive a transaction; these don't."""
    pieces: Iterator[tuple[Any, ...]] = rows._iterator(use_chunked_fetch=True, chunk_size=ROWS_AT_ONCE)  # type: ignore[attr-defined]  # noqa: SLF001  # what iterator() calls
    return pieces
