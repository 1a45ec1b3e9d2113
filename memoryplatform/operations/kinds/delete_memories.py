from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from banks.lifecycle.delete import Removed, delete_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.clear_memories import count
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from reflection.forgetting.told_from import lock_documents
from tenants.transactions import tenant_transaction

NAME = "delete_memories"
BATCH = 500  # memories that go in one transaction: other writers of the bank wait no longer than that

# What a caller asked for in words of his own, as memories of the banks that his key reaches. Called inside a tenant
# transaction, once more for every batch: an operation keeps the words, since ids of very many memories would be read
# and written with each of them.
Finder = Callable[[BankAccess, dict[str, Any]], UnitQuerySet]

_finders: dict[str, Finder] = {}


def add_finder(name: str, finder: Finder) -> None:
    """Call where a process starts."""
    _finders[name] = finder


@operation_kind(NAME, queue="background")
def delete_memories(run: Run) -> dict[str, Any]:
    """In batches, each a transaction of its own. What is gone already counts for nothing, so it can be begun again.

    What was asked for goes from the payload with the end; the receipt says how many there were.
    """
    gone = Removed(**run.payload.get("gone", {}))
    with tenant_transaction(run.tenant_id):
        units = find_named(run.tenant_id, run.payload)
        total = gone.units + units.count()
        holding = Bank.objects.for_tenant(run.tenant_id).live().filter(id__in=units.order_by().values("bank_id"))
        banks = list(holding.order_by("id"))
    for bank in banks:
        while (removed := delete_batch(run, bank, gone, total)).units:
            gone += removed
    receipt = {"deleted": count(gone)}
    with run.transaction() as operation:
        operation.payload = {"asked_by": run.payload["asked_by"]}
        run.complete(operation, receipt)
    return receipt


def find_named(tenant_id: UUID, payload: dict[str, Any]) -> UnitQuerySet:
    """Those that are still there of all that are to go, by their ids or by what was asked for when it was."""
    if "memories" in payload:
        named: dict[str, list[str]] = payload["memories"]
        units: UnitQuerySet = MemoryUnit.objects.for_tenant(tenant_id).filter(bank_id__in=list(named))
        return units.filter(id__in=[one for ids in named.values() for one in ids])
    banks = None if payload["banks"] is None else frozenset(payload["banks"])
    found = _finders[payload["finder"]](BankAccess(tenant_id, banks=banks), payload["asked"])
    return found.filter(recorded_at__lt=datetime.fromisoformat(payload["until"]))


def delete_batch(run: Run, bank: Bank, gone: Removed, total: int) -> Removed:
    with run.transaction() as operation:
        ids = find_named(run.tenant_id, run.payload).filter(bank_id=bank.id).order_by("id").values_list("id", flat=True)
        lock_documents(bank, ids[:BATCH])
        lock_memory(bank)
        removed = delete_units(bank, set(ids[:BATCH]))
        follow_deletion(bank, removed)
        gone += removed
        operation.stage, operation.processed, operation.total = "deleting", gone.units, total
        operation.payload = run.payload | {"gone": count(gone)}
        operation.save()
        return removed
