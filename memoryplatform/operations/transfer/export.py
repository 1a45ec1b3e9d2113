"""Writing a bank out: line by line from one snapshot, so a bank of any size takes the same memory.

What was written while the export ran is not in it, and nothing is in it by half.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.bank_profile import BankAccess, get_bank
from memoryplatform.operations.transfer.profile import NAME as PROFILE
from memoryplatform.operations.transfer.profile import write_profile
from memoryplatform.operations.transfer.tables import LATER, TABLES, Table
from memoryplatform.operations.transfer.values import write_value
from tenants.audit import record
from tenants.transactions import tenant_transaction

FORMAT = "memoryplatform-bank"
VERSION = 1
HEADER, END = "header", "end"
ROWS_AT_ONCE = 500
# Who fetches the file slowly keeps the transaction waiting; who has gone must not keep it for ever.
PATIENCE = {"idle_in_transaction_session_timeout": "120s"}
PIECE = 65_536  # bytes handed on at once


def export_bank(access: BankAccess, bank_id: str, *, vectors: bool) -> Generator[bytes, None, None]:
    """A bank that is not there is told at once, before anything is read."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        record(access.tenant_id, actor=access.actor, action="bank.exported", target=f"bank:{bank_id}")
    return gather(write_lines(bank, vectors=vectors))


def gather(lines: Iterator[bytes]) -> Generator[bytes, None, None]:
    piece = bytearray()
    for line in lines:
        piece += line
        if len(piece) >= PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


def write_lines(bank: Bank, *, vectors: bool) -> Iterator[bytes]:
    counts: Counter[str] = Counter()
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with tenant_transaction(bank.tenant_id, settings=PATIENCE):
            header = {
                "format": FORMAT,
                "version": VERSION,
                "bank_id": bank.bank_id,
                "embedding_model": bank.embedding_model,
                "vectors": vectors,
                "exported_at": timezone.now().isoformat(),
            }
            yield write_line(HEADER, header)
            yield write_line(PROFILE, write_profile(Bank.objects.for_tenant(bank.tenant_id).get(id=bank.id)))
            for table in TABLES:
                for row in read_rows(bank, table, vectors=vectors):
                    counts[table.name] += 1
                    yield write_line(table.name, row)
            for name, table in LATER.items():
                for row in read_later(bank, table):
                    counts[name] += 1
                    yield write_line(name, row)
            yield write_line(END, {"rows": dict(counts)})


def write_line(kind: str, row: dict[str, Any]) -> bytes:
    return orjson.dumps({"type": kind, **row}, option=orjson.OPT_APPEND_NEWLINE)


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
