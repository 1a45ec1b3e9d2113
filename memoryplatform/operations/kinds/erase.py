"""The deletion of a bank, and erasures: of a bank, or of words in one. An erasure ends with a receipt."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.errors import LegalHold
from banks.locking import lock_memory
from banks.models import Bank, Chunk, Document, Episode
from banks.retain import bare_rows
from banks.vector_index.index import drop_indexes
from memoryplatform.operations.erasures.receipts import Receipt, build_receipt, list_ids
from memoryplatform.operations.erasures.targets import add_sources
from memoryplatform.operations.erasures.traces import forget_operations
from memoryplatform.operations.erasures.use_cases import erase
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.kinds.transfer import BEFORE_ALL, embed_batch
from memoryplatform.operations.memories.after_deletion import forget_quotations
from memoryplatform.operations.models import Erasure, Operation, OperationQuerySet
from memoryplatform.operations.running.kind_names import DELETE_BANK, ERASE, RETAIN
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from reflection.forgetting.erased_words import Words
from tenants.audit import SYSTEM, record

A_MOMENT = timedelta(seconds=2)


@operation_kind(DELETE_BANK, queue="background", cancellable=False)  # the bank is hidden already
def delete_bank(run: Run) -> dict[str, Any]:
    """Deletes the rows of a hidden bank. The foreign keys cascade."""
    bank_pk = UUID(run.payload["bank_pk"])
    drop_indexes(bank_pk)
    with run.transaction() as operation:
        wait_for_writers(run, bank_pk)
        rows = Bank.objects.for_tenant(run.tenant_id).filter(id=bank_pk)
        for bank in rows:
            forget_operations(bank)
        deleted, _ = rows.delete()
        forget_quotations(run.tenant_id, run.payload["bank_id"])
        receipt = {"bank_id": run.payload["bank_id"], "deleted": {"banks": deleted}}
        operation.bank_id = None
        run.complete(operation, receipt)
    return receipt


def wait_for_writers(run: Run, bank_pk: UUID) -> None:
    """Locks the operations, the documents and the memory in the order of all writers. The cascade of the foreign keys
    would lock them in the reverse order.
    """
    operations = Operation.objects.for_tenant(run.tenant_id).filter(bank_id=bank_pk, status__in=Operation.UNFINISHED)
    list(operations.order_by("id").select_for_update(no_key=True).values_list("id", flat=True))
    documents = Document.objects.for_tenant(run.tenant_id).filter(bank_id=bank_pk)
    list(documents.order_by("id").select_for_update().values_list("id", flat=True))
    for bank in Bank.objects.for_tenant(run.tenant_id).filter(id=bank_pk):
        lock_memory(bank)


@operation_kind(ERASE, queue="background", cancellable=False)
def perform_erasure(run: Run) -> dict[str, Any]:
    return erase_bank(run) if run.payload["kind"] == Erasure.Kind.BANK else erase_words_of_bank(run)


@ends_with_its_bank
def erase_words_of_bank(run: Run) -> dict[str, Any]:
    """A retain that read the words before the erasure may write them after it. So the erasure waits for the retains
    that were running at its commit, and erases once more.
    """
    bank = load_bank(run)
    if "receipt" not in run.payload:
        run_pass(run, bank)
        note_writers(run, bank)
    if writers := run.payload["writers"]:
        with run.transaction():
            if find_writers(bank).filter(id__in=writers).exists():
                raise NotYet("The erasure waits for a retain that began before it.", wait=A_MOMENT)
        run_pass(run, bank)
    for model in (Chunk, Episode):
        after = BEFORE_ALL
        while batch := embed_batch(run, bank, model, after):
            _, _, after = batch
    with run.transaction() as operation:
        lock_memory(bank)
        bare_rows.fill_topics(bank, bank.vector_slot)
        return complete(run, operation, Receipt(**run.payload["receipt"]))


def run_pass(run: Run, bank: Bank) -> None:
    before = Receipt(**run.payload["receipt"]) if "receipt" in run.payload else None
    with run.transaction() as operation:
        words = add_sources(bank, Words.read(run.payload["words"]))
        try:
            receipt = erase(bank, words, before=before)
        except LegalHold as held:
            raise PermanentFailure(str(held), code=held.code) from held
        save_progress(run, operation, words=words.write(), receipt=receipt.write(), writers=[])


def note_writers(run: Run, bank: Bank) -> None:
    with run.transaction() as operation:
        save_progress(run, operation, writers=[str(one) for one in find_writers(bank).values_list("id", flat=True)])


def find_writers(bank: Bank) -> OperationQuerySet:
    """Call inside a tenant transaction."""
    rows: OperationQuerySet = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=RETAIN)
    return rows.filter(status=Operation.Status.PROCESSING)


def save_progress(run: Run, operation: Operation, **values: Any) -> None:
    """In the payload, so that another attempt goes on from here."""
    run.payload = operation.payload = operation.payload | values
    operation.save(update_fields=["payload", "updated_at"])


def erase_bank(run: Run) -> dict[str, Any]:
    """The rows of a hidden bank. The foreign keys cascade."""
    bank_pk = UUID(run.payload["bank_pk"])
    drop_indexes(bank_pk)
    with run.transaction() as operation:
        wait_for_writers(run, bank_pk)
        receipt = remove_bank(run.tenant_id, bank_pk)
        operation.bank_id = None
        return complete(run, operation, receipt)


def remove_bank(tenant_id: UUID, bank_pk: UUID) -> Receipt:
    """Call inside a tenant transaction that waited for the writers of the bank."""
    rows = Bank.objects.for_tenant(tenant_id).filter(id=bank_pk)
    bank = rows.first()
    if bank is None:
        return build_receipt({})
    receipt = build_receipt(list_ids(bank))
    forget_operations(bank)
    rows.delete()
    forget_quotations(tenant_id, bank.bank_id)
    return receipt


def complete(run: Run, operation: Operation, receipt: Receipt) -> dict[str, Any]:
    erasure = Erasure.objects.for_tenant(run.tenant_id).select_for_update().get(id=run.payload["erasure_id"])
    erasure.erased, erasure.rewritten, erasure.sha256 = receipt.erased, receipt.rewritten, receipt.sha256
    erasure.completed_at = timezone.now()
    erasure.save()
    result = {"erasure_id": str(erasure.id), **receipt.write()}
    detail = {"bank_id": erasure.bank_key, "kind": erasure.kind, "sha256": receipt.sha256}
    record(run.tenant_id, actor=SYSTEM, action="erasure.completed", target=f"erasure:{erasure.id}", detail=detail)
    operation.payload = {"erasure_id": str(erasure.id)}
    run.complete(operation, result)
    return result
