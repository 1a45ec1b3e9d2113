"""The lock of a bank's memory."""

from django.db import connection

from banks.errors import EmbeddingModelChanged
from banks.models import Bank


def lock_memory(bank: Bank) -> None:
    """Allow one writer at a time for a bank, until the end of the transaction.

    Two batches with Bob and Robert at once must see each other's entities, and the blocks of the text index are read
    and written back. Readers never wait. A transaction that also locks the row of an operation, a document or an item
    in quarantine locks it first; the row of the bank follows.

    Raises EmbeddingModelChanged if the bank has no vectors of this model any more since it was read.

    A writer that read the bank before a switch still writes its vectors into their own column. `bank.vector_change` is
    up to date afterwards: it tells the writer that the other column lacks the vectors of its rows.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT lock_vectors(%s, %s, %s::smallint, %s)",
            [f"memory:{bank.id}", bank.id, bank.vector_slot, bank.embedding_model],
        )
        (state,) = cursor.fetchone()
    if state is None:
        raise EmbeddingModelChanged(bank.bank_id)
    bank.vector_change = state
