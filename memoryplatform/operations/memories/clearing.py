"""Deleting all memories that a filter finds: a few at once, many by a worker."""

from dataclasses import dataclass, field, replace

from django.utils import timezone

from banks.lifecycle.delete import Removed
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.kinds.clear_memories import delete_found, write_filter
from memoryplatform.operations.memories import batches
from memoryplatform.operations.memories.memory_filter import MemoryFilter, Span, find_units
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CLEAR_MEMORIES
from memoryplatform.operations.running.submit import submit
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Cleared:
    """What is gone, and the operation that deletes the rest."""

    removed: Removed = field(default_factory=Removed)
    operation: Operation | None = None


def clear_memories(access: BankAccess, bank_id: str, wanted: MemoryFilter) -> Cleared:
    """One batch is deleted while the caller waits. More is left to a worker, whole, so that it has one receipt.

    What is retained after the call is not meant by it.
    """
    wanted = replace(wanted, spans=(*wanted.spans, Span("recorded_at", end=timezone.now())))
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        found = len(find_units(bank, wanted).values_list("id", flat=True)[: batches.BATCH + 1])
        if found <= batches.BATCH:
            removed = delete_found(bank, wanted)
            batches.note_deletion(access, bank, {"memories": removed.units})
            return Cleared(removed)
        operation = submit(access.tenant_id, CLEAR_MEMORIES, payload={"filter": write_filter(wanted)}, bank=bank)
        batches.note_deletion(access, bank, {"operation_id": str(operation.id)})
        return Cleared(operation=operation)
