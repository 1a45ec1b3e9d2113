"""Counting erased rows: by table, with a SHA-256 of their ids."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import sql

from banks.models import Bank, QuarantinedItem
from memoryplatform.operations.transfer.tables import TABLES, Table

COUNTED = (*TABLES, Table("quarantined_item", QuarantinedItem))


@dataclass(frozen=True)
class Receipt:
    """`erased` counts rows by table. `sha256` is the digest of the lines `table id`, in the order of both.

    A part that follows another starts from its digest.
    """

    erased: dict[str, int] = field(default_factory=dict)
    rewritten: dict[str, int] = field(default_factory=dict)
    sha256: str = ""
    samples: tuple[str, ...] = ()
    units: tuple[UUID, ...] = ()  # erased memories; a preview names them

    def write(self) -> dict[str, Any]:
        return {"erased": self.erased, "rewritten": self.rewritten, "sha256": self.sha256}


def build_receipt(ids: Mapping[str, Iterable[UUID]], *, before: Receipt | None = None) -> Receipt:
    before = before or Receipt()
    digest, erased = hashlib.sha256(before.sha256.encode()), dict(before.erased)
    for name, held in sorted(ids.items()):
        for row_id in held:
            digest.update(f"{name} {row_id}\n".encode())
            erased[name] = erased.get(name, 0) + 1
    return Receipt(erased, before.rewritten, digest.hexdigest())


def list_ids(bank: Bank) -> dict[str, list[UUID]]:
    """The ids of a bank and all its rows, by table, in their order. Call inside a tenant transaction."""
    return {"bank": [bank.id]} | {
        table.name: list(
            table.model.objects.for_tenant(bank.tenant_id)
            .filter(**{table.bank_path: bank.id})
            .order_by("id")
            .values_list("id", flat=True)
        )
        for table in COUNTED
    }


# Rows go by cascades and in several steps, so the ids before and after are compared, inside the database.
BEGIN = (
    "DROP TABLE IF EXISTS erasure_before",
    "CREATE TEMPORARY TABLE erasure_before (name text, id uuid) ON COMMIT DROP",
)
NOTE = sql.SQL("INSERT INTO erasure_before SELECT %s, held.id FROM ({chosen}) AS held")
GONE = sql.SQL("""
SELECT id FROM erasure_before AS before
WHERE name = %s AND NOT EXISTS (SELECT 1 FROM {table} AS row WHERE row.id = before.id) ORDER BY id
""")


def begin_count(bank: Bank) -> None:
    """Notes the ids of the bank's rows. Call inside the tenant transaction of the erasure, after `lock_memory`."""
    with connection.cursor() as cursor:
        for statement in BEGIN:
            cursor.execute(statement)
        for table in COUNTED:
            rows = table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank_path: bank.id}).order_by()
            chosen, parameters = rows.values("id").query.sql_with_params()
            note = NOTE.format(chosen=sql.SQL(chosen)).as_string()
            cursor.execute(note, [table.name, *parameters])


def list_gone() -> dict[str, list[UUID]]:
    """The noted ids that no longer exist, by table."""
    gone = {}
    with connection.cursor() as cursor:
        for table in COUNTED:
            cursor.execute(GONE.format(table=sql.Identifier(table.db_table)).as_string(), [table.name])
            gone[table.name] = [row_id for (row_id,) in cursor.fetchall()]
    return {name: ids for name, ids in gone.items() if ids}
