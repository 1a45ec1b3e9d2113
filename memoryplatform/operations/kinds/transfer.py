"""Operations of bank files: an export to fetch, the indexing of an import, and a copy under another id."""

from collections.abc import Iterator
from datetime import timedelta
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import quote
from uuid import UUID

from django.utils import timezone

from banks.embedding_texts import embed_rows
from banks.lifecycle.retagging import delete_summaries_of, find_tagged_under_untagged_summaries
from banks.links import link_by_meaning
from banks.locking import lock_memory
from banks.models import Bank, Corpus, MemoryUnit
from banks.retain import bare_rows
from banks.retain.relabeling import hash_bare_tags
from banks.text_index.rebuild import rebuild_corpus
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.embedding_model import fill_both_columns
from memoryplatform.operations.banks.retention import schedule_maintenance
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.kinds.vector_index import ask_for_vector_index
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.mental_models import renew_schedules
from memoryplatform.operations.models import Operation
from memoryplatform.operations.observation_refreshes import ask_for_refresh
from memoryplatform.operations.running.kind_names import CLONE_BANK, EXPORT_BANK, IMPORT_BANK
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from memoryplatform.operations.transfer.documents import DOCUMENTS
from memoryplatform.operations.transfer.export import write_lines
from memoryplatform.operations.transfer.import_state import ABANDONED, Progress
from memoryplatform.operations.transfer.receive import import_part
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.opinions.revisions import add_missing_evidence
from tenants.audit import Actor
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction

FOLDER = "banks"


@operation_kind(EXPORT_BANK, queue="background")
def export_bank(run: Run) -> dict[str, Any]:
    """The file is written when it is fetched, so no copy outlives the bank."""
    bank = load_bank(run)
    key, name = f"{FOLDER}/{bank.bank_id}", f"{bank.bank_id}.jsonl"
    if DOCUMENTS in run.payload:
        key, name = f"{DOCUMENTS}/{bank.bank_id}/{run.lease.operation_id}", f"{bank.bank_id}-documents.zip"
    result = {"storage_key": key, "download_url": f"/v1/default/files/download/{quote(key)}", "filename": name}
    with run.transaction() as operation:
        run.complete(operation, result)
    return result


BATCH = 128  # texts between two signs of progress: some seconds
BEFORE_ALL = UUID(int=0)


# A bank that was imported in part would answer as if it were whole, so an import can't be cancelled.
@operation_kind(IMPORT_BANK, queue="background", cancellable=False)
@ends_with_its_bank
def import_bank(run: Run) -> dict[str, Any]:
    """Each step commits by itself and finds nothing left to do when it is run again."""
    bank, progress = load_bank(run), Progress(**run.payload)
    check_whole(progress)
    for corpus in Corpus:
        run.report(f"indexing {corpus.value}s", processed=0, total=0)
        rebuild_corpus(bank, corpus)
    embed_bare_rows(run, bank)
    run.spend(UsageRecord.Kind.RETAIN, fill_both_columns(bank, run.lease.operation_id, older_rows=True))
    if progress.links_similar:
        link_similar_units(run, bank)
    result = {"bank_id": bank.bank_id, "rows": run.payload["rows"]}
    with run.transaction():
        lock_memory(bank)
        hash_bare_tags(bank)
        add_missing_evidence(bank)
        follow_deletion(bank, delete_summaries_of(bank, find_tagged_under_untagged_summaries(bank)))
    with run.transaction() as operation:
        lock_memory(bank)
        bare_rows.fill_topics(bank, bank.vector_slot)
        ask_for_vector_index(bank)
        schedule_maintenance(bank)
        renew_schedules(bank)
        ask_for_refresh(bank)
        stored = run.payload["rows"].get("unit", 0) if progress.counts_memories else 0
        run.spend(UsageRecord.Kind.RETAIN, Usage(), memories=stored)
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


def embed_bare_rows(run: Run, bank: Bank) -> None:
    done = 0
    with tenant_transaction(run.tenant_id):
        total = bare_rows.count_bare_rows(bank)
    for model in bare_rows.BARE_MODELS:
        after = BEFORE_ALL
        while batch := embed_batch(run, bank, model, after):
            spent, count, after = batch
            run.spend(UsageRecord.Kind.RETAIN, spent)
            done += count
            run.report("embedding", processed=done, total=max(total, done))


def embed_batch(run: Run, bank: Bank, model: bare_rows.BareModel, after: UUID) -> tuple[Usage, int, UUID] | None:
    """Returns the usage, the number of filled rows and the start of the next batch; None at the end."""
    with tenant_transaction(run.tenant_id):
        rows = bare_rows.find_bare_rows(bank, model, after=after, most=BATCH)
    if not rows:
        return None
    embedded = embed_rows(get_embedder(bank.embedding_model), [row.texts for row in rows])
    with run.transaction():
        lock_memory(bank)
        bare_rows.store_bare_vectors(bank, model, rows, embedded.vectors)
    return embedded.usage, len(rows), rows[-1].id


def link_similar_units(run: Run, bank: Bank) -> None:
    """Call when the vectors are there."""
    with tenant_transaction(run.tenant_id):
        ids = list(MemoryUnit.objects.of_bank(bank).current().order_by("id").values_list("id", flat=True))
    for start in range(0, len(ids), BATCH):
        run.report("linking", processed=start, total=len(ids))
        with run.transaction():
            lock_memory(bank)
            link_by_meaning(bank, ids[start : start + BATCH])


PART_BYTES = 4_000_000  # held in memory at once
A_WHILE = timedelta(seconds=2)


@operation_kind(CLONE_BANK, queue="background")
def clone_bank(run: Run) -> dict[str, Any]:
    """The rows come in one transaction, so that there is a whole copy or none. An import goes on from there."""
    import_id = UUID(run.payload["import_id"] if "import_id" in run.payload else copy(run))
    perform(run.tenant_id, import_id)
    with run.transaction() as operation:
        done = Operation.objects.for_tenant(run.tenant_id).get(id=import_id)
        if not done.is_finished:
            raise NotYet("The copy is being indexed.", wait=A_WHILE)
        if done.status != Operation.Status.COMPLETED:
            raise PermanentFailure(done.error_detail, code=done.error_code)
        result = {**(done.result or {}), "import_operation_id": str(import_id)}
        run.complete(operation, result)
    return result


def copy(run: Run) -> str:
    """Returns the id of the import, which stands in the payload from then on: a second attempt copies nothing more."""
    bank, target = load_bank(run), run.payload["target"]
    access = BankAccess(run.tenant_id, actor=Actor(api_key_prefix=run.payload["asked_by"]))
    get_embedder()  # no transaction waits until it is loaded
    with TemporaryFile() as file:
        file.writelines(write_lines(bank, vectors=True))
        file.seek(0)
        with run.transaction() as operation:
            if Bank.objects.for_tenant(run.tenant_id).live().filter(bank_id=target).exists():
                raise PermanentFailure(f"There is a bank '{target}' already.", code="bank_exists")
            for first_line, part in cut(file):
                received = import_part(access, target, part, first_line=first_line)
            operation.payload = operation.payload | {"import_id": str(received.operation.id)}
            operation.save(update_fields=["payload", "updated_at"])
    return str(received.operation.id)


def cut(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Parts of whole lines, each with the number of its first."""
    first_line = 1
    while lines := file.readlines(PART_BYTES):
        yield first_line, b"".join(lines)
        first_line += len(lines)
