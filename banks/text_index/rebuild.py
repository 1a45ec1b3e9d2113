"""Rebuilds the index of a bank from its rows."""

from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, Corpus
from banks.text_index.blocks import delete_blocks
from banks.text_index.statistics import reset_statistics
from banks.text_index.texts import clear_numbers, read_ids
from banks.text_index.write import add_texts
from tenants.transactions import tenant_transaction

BATCH = 2000
BEFORE_ALL = UUID(int=0)


def rebuild_corpus(bank: Bank, corpus: Corpus) -> int:
    """One transaction: readers see the old index until the commit, and writers of the bank wait.

    Returns the number of rows.
    """
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_blocks(bank, corpus)
        reset_statistics(bank, corpus)
        clear_numbers(bank, corpus)
        rows, after = 0, BEFORE_ALL
        while ids := read_ids(bank, corpus, after=after, most=BATCH):
            add_texts(bank, corpus, ids)
            rows, after = rows + len(ids), ids[-1]
    return rows
