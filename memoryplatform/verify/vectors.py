"""Vectors: every row has one, in the column that the bank uses, of the bank's model."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from psycopg import sql
from structlog import get_logger

from banks.embedding_texts import embed_rows
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Entity, MemoryUnit
from banks.models.bank import VECTOR_COLUMNS
from banks.retain.bare_rows import (
    BARE_MODELS,
    BareModel,
    BareRow,
    fill_topics,
    find_bare_rows,
    store_bare_vectors,
)
from memoryplatform.verify.check import BankCheck, Finding, execute, find_rows, list_finding
from memoryplatform.verify.text_index import BEFORE_ALL
from providers.errors import ProviderError
from providers.registry import get_embedder
from tenants.transactions import tenant_transaction

BATCH = 500
SAMPLE = 4  # memories of a bank whose vectors are made again
SAME_COSINE = 0.98  # of the same text and model: quantised vectors differ a little between machines
LENGTH_TOLERANCE = 0.01
log = get_logger(__name__)

SELECT = sql.SQL("SELECT id FROM {table} WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND ({condition})")
CLEAR = sql.SQL("""
UPDATE {table} SET {vector} = NULL WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND ({condition})
""")
MISSHAPEN = "vector_dims({vector}) <> %(dimension)s OR abs(vector_norm({vector}) - 1) > %(most)s"  # false if null


def find_missing(bank: Bank) -> Finding:
    """Without the rows that have none yet: chunks that wait for their retain, entities without a description; and
    without the chunks of ready facts, which need none.
    """
    found = Finding()
    for model in BARE_MODELS:
        after = BEFORE_ALL
        while rows := find_bare_rows(bank, model, after=after, most=BATCH):
            found += list_finding([row.id for row in leave_out_unready(bank, model, rows)])
            after = rows[-1].id
    return found


def leave_out_unready(bank: Bank, model: BareModel, rows: Sequence[BareRow]) -> list[BareRow]:
    unready: set[UUID] = set()
    ids = [row.id for row in rows]
    if model is Chunk:
        waiting = Chunk.objects.of_bank(bank).filter(id__in=ids, extracted_at=None)
        unready = set(waiting.values_list("id", flat=True))
    elif model is Entity:
        undescribed = Entity.objects.of_bank(bank).filter(id__in=ids, summary="")
        unready = set(undescribed.values_list("id", flat=True))
    return [row for row in rows if row.id not in unready]


def find_misshapen(bank: Bank) -> Finding:
    """Vectors of another dimension than the model's, or that are not of length 1."""
    dimension = find_dimension(bank)
    if dimension is None:
        return Finding()  # `find_unknown_model` reports it
    return find_by_table(bank, MISSHAPEN, dimension=dimension, most=LENGTH_TOLERANCE)


def find_in_other_column(bank: Bank) -> Finding:
    """While no change of the model is under way, the second column is empty."""
    return Finding() if bank.vector_change else find_by_table(bank, "{other} IS NOT NULL")


def find_by_table(bank: Bank, condition: str, **values: object) -> Finding:
    columns = {"vector": sql.Identifier(bank.vector_column), "other": sql.Identifier(bank.other_vector_column)}
    parts = [
        SELECT.format(table=sql.Identifier(model._meta.db_table), condition=sql.SQL(condition).format(**columns))
        for model in BARE_MODELS
    ]
    statement = sql.SQL(" UNION ALL ").join(parts).as_string()
    return find_rows(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id, **values})


def find_unknown_model(bank: Bank) -> Finding:
    return list_finding([bank.embedding_model]) if find_dimension(bank) is None else Finding()


def find_dimension(bank: Bank) -> int | None:
    """None if this deployment does not have the bank's model."""
    try:
        return get_embedder(bank.embedding_model).dimension
    except ProviderError as error:
        log.warning("verify.no_embedder", model=bank.embedding_model, error=type(error).__name__)
        return None


def find_foreign(bank: Bank) -> Finding:
    """Of some memories the vector is made again: a model of the same dimension shows only there."""
    dimension = find_dimension(bank)
    if dimension is None:
        return Finding()
    rows = MemoryUnit.objects.of_bank(bank).exclude(**{bank.vector_column: None}).order_by("-id")[:SAMPLE]
    units = [unit for unit in rows if len(unit.vector_in(bank)) == dimension]
    if not units:
        return Finding()
    made = get_embedder(bank.embedding_model).embed_documents([unit.rendered_text for unit in units]).vectors
    cosines = [
        float(np.dot(np.asarray(unit.vector_in(bank)), vector)) for unit, vector in zip(units, made, strict=True)
    ]
    return list_finding([unit.id for unit, cosine in zip(units, cosines, strict=True) if cosine < SAME_COSINE])


def make_missing(bank: Bank) -> None:
    for model in BARE_MODELS:
        after = BEFORE_ALL
        while True:
            with tenant_transaction(bank.tenant_id):
                rows = find_bare_rows(bank, model, after=after, most=BATCH)
                ready = leave_out_unready(bank, model, rows)
            if not rows:
                break
            vectors = embed_rows(get_embedder(bank.embedding_model), [row.texts for row in ready]).vectors
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                store_bare_vectors(bank, model, ready, vectors)
            after = rows[-1].id
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        fill_topics(bank, bank.vector_slot)


def remake_misshapen(bank: Bank) -> None:
    values = {"dimension": find_dimension(bank), "most": LENGTH_TOLERANCE}
    clear_vectors(bank, bank.vector_column, MISSHAPEN, **values)
    make_missing(bank)


def clear_other_column(bank: Bank) -> None:
    clear_vectors(bank, VECTOR_COLUMNS[1 - bank.vector_slot], "{vector} IS NOT NULL")


def clear_vectors(bank: Bank, column: str, condition: str, **values: object) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        for model in BARE_MODELS:
            wrong = sql.SQL(condition).format(vector=sql.Identifier(column))
            statement = CLEAR.format(
                table=sql.Identifier(model._meta.db_table), vector=sql.Identifier(column), condition=wrong
            )
            execute(statement.as_string(), {"tenant_id": bank.tenant_id, "bank_id": bank.id, **values})


CHECKS = [
    BankCheck("vectors: the deployment has the bank's model", find_unknown_model),
    BankCheck("vectors: every row has one", find_missing, make_missing),
    BankCheck("vectors: dimension and length are the model's", find_misshapen, remake_misshapen),
    BankCheck("vectors: the column that is not in use is empty", find_in_other_column, clear_other_column),
    BankCheck("vectors: a sample is of the bank's model", find_foreign),
]
