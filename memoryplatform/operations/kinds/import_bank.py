"""What is left to do once a file is in: vectors for the rows that came without, and the text index."""

from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.lifecycle.retagged import find_summed_up_without_tags, forget_what_sums_up
from banks.locking import lock_memory
from banks.models import Bank, Corpus
from banks.retain.bare_rows import (
    BARE_MODELS,
    BareModel,
    count_bare_rows,
    fill_topics,
    find_bare_rows,
    store_bare_vectors,
)
from banks.retain.documents.relabel import hash_bare_tags
from banks.text_index.rebuild import rebuild_corpus
from memoryplatform.operations.announced_ends import ask_for_closing
from memoryplatform.operations.banks.nights import ask_for_tending
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.kinds.vector_index import ask_for_vector_index
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.kind_names import IMPORT_BANK
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.transfer.progress import ABANDONED, Progress
from providers.registry import get_embedder
from providers.usage import Usage
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

BATCH = 128  # texts between two signs of progress: some seconds
BEFORE_ALL = UUID(int=0)


@operation_kind(IMPORT_BANK, queue="background", cancellable=False)  # half a memory would answer as if it were whole
@ends_with_its_bank
def import_bank(run: Run) -> dict[str, Any]:
    """Each step commits by itself and finds nothing left to do when it is run again."""
    bank = load_bank(run)
    check_whole(Progress(**run.payload))
    for corpus in Corpus:
        run.report(f"indexing {corpus.value}s", processed=0, total=0)
        rebuild_corpus(bank, corpus)
    usage = embed_bare_rows(run, bank)
    result = {"bank_id": bank.bank_id, "rows": run.payload["rows"]}
    with run.transaction():
        lock_memory(bank)
        hash_bare_tags(bank)
        follow_deletion(bank, forget_what_sums_up(bank, find_summed_up_without_tags(bank)))
    with run.transaction() as operation:
        fill_topics(bank)
        ask_for_vector_index(bank)
        ask_for_tending(bank)
        ask_for_closing(bank)
        ask_for_refresh(bank)
        record_usage(run.tenant_id, UsageRecord.Kind.RETAIN, usage, bank_id=bank.bank_id, operation_id=operation.id)
        run.complete(operation, result)
    return result


def check_whole(progress: Progress) -> None:
    if progress.is_done:
        return
    wait = progress.wait_for_more(timezone.now())
    if wait.total_seconds() > 0:
        raise NotYet(f"Line {progress.next_line} is waited for.", wait=wait)
    detail = f"The file ended before line {progress.next_line}: send it again, or delete the bank."
    raise PermanentFailure(detail, code=ABANDONED)


def embed_bare_rows(run: Run, bank: Bank) -> Usage:
    usage, done = Usage(), 0
    with tenant_transaction(run.tenant_id):
        total = count_bare_rows(bank)
    for model in BARE_MODELS:
        after = BEFORE_ALL
        while batch := embed_batch(run, bank, model, after):
            spent, count, after = batch
            usage, done = usage + spent, done + count
            run.report("embedding", processed=done, total=max(total, done))
    return usage


def embed_batch(run: Run, bank: Bank, model: BareModel, after: UUID) -> tuple[Usage, int, UUID] | None:
    """What it spent, how many rows it filled and where the next one begins; None at the end."""
    with tenant_transaction(run.tenant_id):
        rows = find_bare_rows(bank, model, after=after, most=BATCH)
    if not rows:
        return None
    embedded = get_embedder().embed_documents([row.text for row in rows])
    with run.transaction():
        lock_memory(bank)
        store_bare_vectors(bank, model, rows, embedded.vectors)
    return embedded.usage, len(rows), rows[-1].id
