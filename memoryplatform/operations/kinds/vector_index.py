"""The vector indexes of a bank: built when a corpus has grown large, dropped when it has shrunk."""

from typing import Any
from uuid import UUID

from banks.models import Bank
from banks.vector_index.index import (
    LARGEST_DIMENSION,
    Need,
    VectorIndex,
    create_index,
    drop_index,
    drop_indexes,
    find_dimension,
    find_needs,
)
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import VECTOR_INDEX
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.running.submit import submit
from tenants.transactions import tenant_transaction


def ask_for_vector_index(bank: Bank) -> Operation | None:
    """Call inside a tenant transaction, when the bank has grown or shrunk. None if nothing needs to be done."""
    if not find_needs(bank) or is_under_way(bank):
        return None
    return submit(bank.tenant_id, VECTOR_INDEX, payload={"bank_pk": str(bank.id)}, bank=bank)


def is_under_way(bank: Bank) -> bool:
    rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=VECTOR_INDEX)
    return rows.filter(status__in=Operation.UNFINISHED).exists()


@operation_kind(VECTOR_INDEX, queue="background")
def tend_vector_index(run: Run) -> dict[str, Any]:
    """Checks the need again: the bank may have changed since, and a second run finds nothing to do."""
    bank_pk = UUID(run.payload["bank_pk"])
    with tenant_transaction(run.tenant_id):
        bank = Bank.objects.for_tenant(run.tenant_id).live().filter(id=bank_pk).first()
        needs = find_needs(bank) if bank else {}
        dimensions = {corpus: find_dimension(bank, bank.vector_slot, corpus) for corpus in needs} if bank else {}
    if bank is None:
        drop_indexes(bank_pk)
        return {"built": [], "dropped": ["all"]}
    built, dropped = [], []
    for corpus, need in needs.items():
        index, dimension = VectorIndex(bank_pk, bank.vector_slot, corpus), dimensions[corpus]
        if need is Need.DROP:
            drop_index(index)
            dropped.append(corpus.value)
        elif dimension and dimension <= LARGEST_DIMENSION:
            create_index(index, dimension)
            built.append(corpus.value)
    return {"built": built, "dropped": dropped}
