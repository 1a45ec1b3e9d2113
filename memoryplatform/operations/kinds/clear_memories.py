from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from banks.lifecycle.delete import Removed, delete_units
from banks.locking import lock_memory
from banks.models import Bank
from banks.words import Network
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from reflection.forgetting.told_from import lock_documents
from reflection.opinions.history.former_words import forget_words_naming
from tenants.transactions import tenant_transaction

NAME = "clear_memories"
BATCH = 500  # memories that go in one transaction: other writers of the bank wait no longer than that
FILTER = TypeAdapter(MemoryFilter)
COUNTS = ("units", "relationships", "entities")


@operation_kind(NAME, queue="background")
@ends_with_its_bank
def clear_memories(run: Run) -> dict[str, Any]:
    """In batches, each a transaction of its own: if it is cut off, what went is gone, and the next goes on.

    The receipt stands in the payload until the end, so that it counts what earlier attempts deleted.
    """
    bank = load_bank(run)
    wanted = FILTER.validate_python(run.payload["filter"])
    gone = Removed(**run.payload.get("gone", {}))
    with tenant_transaction(run.tenant_id):
        total = gone.units + find_units(bank, wanted).count()
    while True:
        with run.transaction() as operation:
            batch = delete_batch(bank, wanted)
            gone += batch
            operation.stage, operation.processed, operation.total = "deleting", gone.units, total
            operation.payload = run.payload | {"gone": count(gone)}
            operation.save()
            if not batch.units:
                receipt = {"bank_id": bank.bank_id, "deleted": count(gone)}
                run.complete(operation, receipt)
                return receipt


def delete_batch(bank: Bank, wanted: MemoryFilter) -> Removed:
    """Call inside a tenant transaction."""
    ids = find_units(bank, wanted).order_by("id").values_list("id", flat=True)
    lock_documents(bank, ids[:BATCH])
    lock_memory(bank)
    forget_former_words_of(bank, wanted)
    removed = delete_units(bank, set(ids[:BATCH]))
    follow_deletion(bank, removed)
    return removed


def forget_former_words_of(bank: Bank, wanted: MemoryFilter) -> None:
    """Of opinions that speak of somebody else by now, and are meant but for that."""
    if wanted.entity_id:
        opinions = find_units(bank, replace(wanted, entity_id=None, state="all")).filter(network=Network.OPINION)
        forget_words_naming(bank, opinions, wanted.entity_id)


def count(removed: Removed) -> dict[str, int]:
    return {name: number for name, number in asdict(removed).items() if name in COUNTS}


def write_filter(wanted: MemoryFilter) -> dict[str, Any]:
    written: dict[str, Any] = FILTER.dump_python(wanted, mode="json")
    return written
