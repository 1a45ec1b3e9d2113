from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from banks.lifecycle.delete import Removed
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories import batches
from memoryplatform.operations.running.kind_names import DELETE_MEMORIES
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from tenants.transactions import tenant_transaction

# What a caller asked for in words of his own, as memories of the banks that his key reaches. Called inside a tenant
# transaction, once more for every batch: an operation keeps the words, since ids of very many memories would be read
# and written with each of them.
Finder = Callable[[BankAccess, dict[str, Any]], UnitQuerySet]

_finders: dict[str, Finder] = {}


def add_finder(name: str, finder: Finder) -> None:
    """Call where a process starts."""
    _finders[name] = finder


@operation_kind(DELETE_MEMORIES, queue="background")
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
        while (removed := delete_of_bank(run, bank, gone, total)).units:
            gone += removed
    receipt = {"deleted": batches.count(gone)}
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


def delete_of_bank(run: Run, bank: Bank, gone: Removed, total: int) -> Removed:
    """A batch of those in this bank."""
    with run.transaction() as operation:
        removed = batches.delete_batch(bank, find_named(run.tenant_id, run.payload).filter(bank_id=bank.id))
        batches.write_progress(operation, gone + removed, total)
        return removed
