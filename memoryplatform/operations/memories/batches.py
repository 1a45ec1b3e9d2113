"""Deleting many memories of a bank, some hundreds in a transaction, with what is told of it on the way."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from banks.lifecycle.delete import Removed, delete_units
from banks.locking import lock_memory
from banks.models import Bank
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.models import Operation
from reflection.forgetting.told_from import lock_documents
from tenants.audit import record

BATCH = 500  # memories that go in one transaction: other writers of the bank wait no longer than that
COUNTS = ("units", "relationships", "entities")


def delete_batch(bank: Bank, units: UnitQuerySet, *, before: Callable[[], None] = lambda: None) -> Removed:
    """The first of these. `before` is done while the bank's memory is locked and all of them are there.

    Call inside a tenant transaction.
    """
    ids = units.order_by("id").values_list("id", flat=True)
    lock_documents(bank, ids[:BATCH])
    lock_memory(bank)
    before()
    removed = delete_units(bank, set(ids[:BATCH]))
    follow_deletion(bank, removed)
    return removed


def write_progress(operation: Operation, gone: Removed, total: int) -> None:
    """The receipt stands in the payload until the end, so that it counts what earlier attempts deleted."""
    operation.stage, operation.processed, operation.total = "deleting", gone.units, total
    operation.payload = operation.payload | {"gone": count(gone)}
    operation.save()


def count(removed: Removed) -> dict[str, int]:
    return {name: number for name, number in asdict(removed).items() if name in COUNTS}


def note_deletion(access: BankAccess, bank: Bank, detail: dict[str, Any]) -> None:
    target = f"bank:{bank.bank_id}"
    record(access.tenant_id, actor=access.actor, action="memories.deleted", target=target, detail=detail)
