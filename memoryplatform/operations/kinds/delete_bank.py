from typing import Any
from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, Document
from banks.vector_index.index import drop_indexes
from memoryplatform.operations.erasures.traces import forget_operations
from memoryplatform.operations.memories.after_deletion import forget_quotations
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import DELETE_BANK
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run


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
