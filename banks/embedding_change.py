"""A change of a bank's embedding model: vectors of the next model are made beside those in use, then the bank switches.

The row of the bank names the column in use. Readers and writers take the column and the model from the row that they
loaded, so a switch is the change of one row: a recall under way goes on in the former column, which is kept. A writer
fills one column and empties the other (see `HasVector`); `fill_vectors` makes every vector that one column has and the
other lacks. The bank switches only when none is lacking.
"""

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import CharField, F, Func
from psycopg import sql

from banks.embedding_texts import embed_rows
from banks.errors import EmbeddingChangeState, EmbeddingModelChanged
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS, VectorChange
from banks.retain.bare_rows import BARE_MODELS, BareModel, fill_topics, list_texts
from banks.vector_index.nearest import find_neighbours
from banks.vectors import BATCH, Step, report_nothing, write_vector
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

SAMPLE = 50  # units whose neighbours are compared
NEAREST = 10
CLEARED_AT_ONCE = 1_000
MOST_ROUNDS = 20  # of filling before a switch, against writers that never pause
BEFORE_ALL = UUID(int=0)

# The vector of the other column stands for the text that it was made of: if that changed since, nothing is stored.
FILL = sql.SQL("""
UPDATE {table} AS lacking SET {target} = given.vector::vector
FROM unnest(%(id)s::uuid[], %(vector)s::text[], %(made_of)s::text[]) AS given (id, vector, made_of), banks_bank AS bank
WHERE lacking.tenant_id = %(tenant_id)s AND lacking.bank_id = %(bank_id)s AND lacking.id = given.id
  AND lacking.{target} IS NULL AND md5(vector_send(lacking.{source})) = given.made_of
  AND bank.tenant_id = %(tenant_id)s AND bank.id = %(bank_id)s AND bank.vector_change NOT IN ('', 'clearing')
  AND CASE WHEN bank.vector_slot = %(slot)s THEN bank.embedding_model ELSE bank.other_embedding_model END = %(model)s
""")
CLEAR = sql.SQL("""
UPDATE {table} SET {columns} WHERE id = ANY(ARRAY(
    SELECT id FROM {table} WHERE tenant_id = %s AND bank_id = %s AND {is_filled} LIMIT %s
))
""")

Write = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class LackingRow:
    id: UUID
    texts: tuple[str, ...]
    made_of: str


@dataclass(frozen=True)
class FilledVectors:
    rows: int = 0
    usage: Usage = field(default_factory=Usage)


def fill_vectors(  # the collaborators of a writer
    bank: Bank,
    slot: int,
    get_embedder: Callable[[str], Embedder],
    write: Write,
    *,
    since: UUID = BEFORE_ALL,
    step: Step = report_nothing,
) -> FilledVectors:
    """Make the vectors that the column of `slot` lacks, of rows with later ids than `since`: ids are in time's order.

    Call outside of transactions. Raises EmbeddingModelChanged if the change is given up meanwhile.
    """
    model = bank.embedding_model if slot == bank.vector_slot else bank.other_embedding_model
    done, usage = 0, Usage()
    with tenant_transaction(bank.tenant_id):
        total = sum(find_lacking(bank, table, slot).filter(id__gt=since).count() for table in BARE_MODELS)
    for table in BARE_MODELS if total else ():
        after = since
        while rows := read_lacking(bank, table, slot, after=after):
            batch = embed_rows(get_embedder(model), [row.texts for row in rows])
            with write():
                store_vectors(bank, table, slot, model, rows, batch.vectors)
            after, done, usage = rows[-1].id, done + len(rows), usage + batch.usage
            step("embedding", done, max(total, done))
    with write():
        lock_for_filling(bank)
        fill_topics(bank, slot)
    return FilledVectors(done, usage)


def find_lacking(bank: Bank, table: BareModel, slot: int) -> TenantQuerySet[Any]:
    """Rows with a vector in the other column alone. Call inside a tenant transaction."""
    conditions: dict[str, Any] = {VECTOR_COLUMNS[slot]: None, f"{VECTOR_COLUMNS[1 - slot]}__isnull": False}
    return table.objects.for_tenant(bank.tenant_id).filter(bank=bank, **conditions)


def read_lacking(bank: Bank, table: BareModel, slot: int, *, after: UUID) -> list[LackingRow]:
    source = Func(F(VECTOR_COLUMNS[1 - slot]), function="vector_send")
    with tenant_transaction(bank.tenant_id):
        rows = find_lacking(bank, table, slot).filter(id__gt=after).order_by("id").defer(*VECTOR_COLUMNS)
        found: list[Any] = list(rows.annotate(made_of=Func(source, function="md5", output_field=CharField()))[:BATCH])
        texts = list_texts(bank, found)
        return [LackingRow(row.id, of_row, row.made_of) for row, of_row in zip(found, texts, strict=True)]


def store_vectors(
    bank: Bank, table: BareModel, slot: int, model: str, rows: Sequence[LackingRow], vectors: Sequence[Vector]
) -> None:
    """Call inside a tenant transaction."""
    lock_for_filling(bank)
    statement = FILL.format(
        table=sql.Identifier(table._meta.db_table),
        target=sql.Identifier(VECTOR_COLUMNS[slot]),
        source=sql.Identifier(VECTOR_COLUMNS[1 - slot]),
    )
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "slot": slot,
        "model": model,
        "id": [row.id for row in rows],
        "vector": [write_vector(vector) for vector in vectors],
        "made_of": [row.made_of for row in rows],
    }
    with connection.cursor() as cursor:
        cursor.execute(statement.as_string(), given)


def lock_for_filling(bank: Bank) -> None:
    lock_memory(bank)
    if bank.vector_change in {"", VectorChange.CLEARING}:
        raise EmbeddingModelChanged(bank.bank_id)


def switch_slots(bank: Bank, *, before: VectorChange, after: VectorChange) -> bool:
    """Make the other model the one in use. False if a row still lacks its vector. Call inside a tenant transaction.

    Writers wait for this transaction, readers do not.
    """
    held = lock_change(bank)
    if held.vector_change == after:
        return True  # by an earlier attempt
    check_state(held, before)
    slot = 1 - held.vector_slot
    if any(find_lacking(held, table, slot).exists() for table in BARE_MODELS):
        return False
    fill_topics(held, slot)
    models = held.other_embedding_model, held.embedding_model
    held.vector_slot, held.vector_change, (held.embedding_model, held.other_embedding_model) = slot, after, models
    held.save(update_fields=["vector_slot", "vector_change", "embedding_model", "other_embedding_model", "updated_at"])
    return True


def begin_clearing(bank: Bank, *before: VectorChange) -> bool:
    """From now on nobody writes the other column. False if a vector of the column in use must be made first.

    Call inside a tenant transaction.
    """
    held = lock_change(bank)
    if held.vector_change in {"", VectorChange.CLEARING}:
        return True  # by an earlier attempt
    check_state(held, *before)
    if any(find_lacking(held, table, held.vector_slot).exists() for table in BARE_MODELS):
        return False
    set_change(held, VectorChange.CLEARING)
    return True


def clear_batch(bank: Bank) -> int:
    """Empty the other column of some rows. Returns their number. Call inside a tenant transaction."""
    held = lock_change(bank)
    if held.vector_change != VectorChange.CLEARING:
        return 0
    slot, cleared = 1 - held.vector_slot, 0
    for table in BARE_MODELS:
        name = table._meta.db_table
        columns = [VECTOR_COLUMNS[slot], *([CENTROID_COLUMNS[slot]] if name == "banks_episode" else [])]
        statement = CLEAR.format(
            table=sql.Identifier(name),
            columns=sql.SQL(", ").join(sql.SQL("{} = NULL").format(sql.Identifier(one)) for one in columns),
            is_filled=sql.SQL("({})").format(
                sql.SQL(" OR ").join(sql.SQL("{} IS NOT NULL").format(sql.Identifier(one)) for one in columns)
            ),
        )
        with connection.cursor() as cursor:
            cursor.execute(statement.as_string(), [held.tenant_id, held.id, CLEARED_AT_ONCE])
            cleared += cursor.rowcount
    if not cleared:
        held.other_embedding_model = ""
        set_change(held, "")
    return cleared


def lock_change(bank: Bank) -> Bank:
    """The present row of the bank, and its memory, until the end of the transaction."""
    held: Bank = Bank.objects.for_tenant(bank.tenant_id).select_for_update(no_key=True).get(id=bank.id)
    lock_memory(held)
    return held


def set_change(bank: Bank, state: str) -> None:
    bank.vector_change = state
    bank.save(update_fields=["vector_change", "other_embedding_model", "updated_at"])


def check_state(bank: Bank, *allowed: str) -> None:
    if bank.vector_change not in allowed:
        state = VectorChange(bank.vector_change).value if bank.vector_change else "none"
        raise EmbeddingChangeState(f"The change of the embedding model is in the state '{state}'.")


def compare_slots(bank: Bank) -> dict[str, Any]:
    """How much of the nearest ten of some units is the same in both columns, 0 to 1. Call inside a tenant transaction.

    The stored vectors are the queries, so no model is needed.
    """
    rows = MemoryUnit.objects.of_bank(bank).current()
    both = rows.exclude(embedding=None).exclude(second_embedding=None)
    sample = list(both.order_by(Func(Func(F("id"), function="uuid_send"), function="md5"))[:SAMPLE])
    if not sample:
        return {"sample": 0, "overlap": None}
    near = find_near(bank, sample)
    other = find_near(view_other(bank), sample)
    shares = [len(own & theirs) / len(own) for own, theirs in zip(near, other, strict=True) if own]
    return {"sample": len(sample), "overlap": round(sum(shares) / len(shares), 4) if shares else None}


def find_near(bank: Bank, sample: Sequence[MemoryUnit]) -> list[set[UUID]]:
    vectors = [np.asarray(unit.vector_in(bank), dtype=np.float32) for unit in sample]
    found = find_neighbours(bank, vectors, nearest=NEAREST + 1, least_cosine=-1.0)
    return [
        set([one.unit_id for one in near if one.unit_id != unit.id][:NEAREST])
        for unit, near in zip(sample, found, strict=True)
    ]


def view_other(bank: Bank) -> Bank:
    """The bank as it would be after a switch, for reading."""
    other = copy.copy(bank)
    other.vector_slot, other.embedding_model = 1 - bank.vector_slot, bank.other_embedding_model
    return other
