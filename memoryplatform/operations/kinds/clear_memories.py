from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from banks.lifecycle.delete import Removed
from banks.models import Bank
from banks.words import Network
from memoryplatform.operations.memories import batches
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.kind_names import CLEAR_MEMORIES
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from reflection.opinions.history.former_words import forget_words_naming
from tenants.transactions import tenant_transaction

FILTER = TypeAdapter(MemoryFilter)


@operation_kind(CLEAR_MEMORIES, queue="background")
@ends_with_its_bank
def clear_memories(run: Run) -> dict[str, Any]:
    """In batches, each a transaction of its own: if it is cut off, what went is gone, and the next goes on."""
    bank = load_bank(run)
    wanted = FILTER.validate_python(run.payload["filter"])
    gone = Removed(**run.payload.get("gone", {}))
    with tenant_transaction(run.tenant_id):
        total = gone.units + find_units(bank, wanted).count()
    while True:
        with run.transaction() as operation:
            batch = delete_found(bank, wanted)
            gone += batch
            batches.write_progress(operation, gone, total)
            if not batch.units:
                receipt = {"bank_id": bank.bank_id, "deleted": batches.count(gone)}
                run.complete(operation, receipt)
                return receipt


def delete_found(bank: Bank, wanted: MemoryFilter) -> Removed:
    """A batch of what the filter finds. Call inside a tenant transaction."""
    before = partial(forget_former_words_of, bank, wanted)
    return batches.delete_batch(bank, find_units(bank, wanted), before=before)


def forget_former_words_of(bank: Bank, wanted: MemoryFilter) -> None:
    """Of opinions that speak of somebody else by now, and are meant but for that.

    Only this filter can name an entity: `delete_memories` is told which memories are to go, or whose.
    """
    if wanted.entity_id:
        opinions = find_units(bank, replace(wanted, entity_id=None, state="all")).filter(network=Network.OPINION)
        forget_words_naming(bank, opinions, wanted.entity_id)


def write_filter(wanted: MemoryFilter) -> dict[str, Any]:
    written: dict[str, Any] = FILTER.dump_python(wanted, mode="json")
    return written
