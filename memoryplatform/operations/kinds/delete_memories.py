from collections.abc import Iterator
from typing import Any
from uuid import UUID

from banks.lifecycle.delete import Removed, delete_units
from banks.locking import lock_memory
from banks.models import Bank
from memoryplatform.operations.after_deletion import follow_deletion
from memoryplatform.operations.kinds.clear_memories import count
from memoryplatform.operations.registry import operation_kind
from memoryplatform.operations.run import Run
from reflection.forgetting.told_from import lock_documents
from tenants.transactions import tenant_transaction

NAME = "delete_memories"
BATCH = 500  # memories that go in one transaction: other writers of the bank wait no longer than that


@operation_kind(NAME, queue="background")
def delete_memories(run: Run) -> dict[str, Any]:
    """In batches, each a transaction of its own. What is gone already counts for nothing, so it can be begun again.

    The ids go from the payload with the last batch; the receipt says how many there were.
    """
    named = {UUID(bank_pk): [UUID(one) for one in ids] for bank_pk, ids in run.payload["memories"].items()}
    total = sum(map(len, named.values()))
    gone = Removed(**run.payload.get("gone", {}))
    done = 0
    for bank, ids in cut(load_banks(run, named), named):
        with run.transaction() as operation:
            lock_documents(bank, ids)
            lock_memory(bank)
            removed = delete_units(bank, ids)
            follow_deletion(bank, removed)
            gone, done = gone + removed, done + len(ids)
            operation.stage, operation.processed, operation.total = "deleting", done, total
            operation.payload = run.payload | {"gone": count(gone)}
            operation.save()
    receipt = {"deleted": count(gone)}
    with run.transaction() as operation:
        operation.payload = {"asked_by": run.payload["asked_by"]}
        run.complete(operation, receipt)
    return receipt


def load_banks(run: Run, named: dict[UUID, list[UUID]]) -> list[Bank]:
    """Banks that were deleted meanwhile took their memories with them."""
    with tenant_transaction(run.tenant_id):
        return list(Bank.objects.for_tenant(run.tenant_id).live().filter(id__in=named).order_by("id"))


def cut(banks: list[Bank], named: dict[UUID, list[UUID]]) -> Iterator[tuple[Bank, set[UUID]]]:
    for bank in banks:
        ids = named[bank.id]
        for start in range(0, len(ids), BATCH):
            yield bank, set(ids[start : start + BATCH])
