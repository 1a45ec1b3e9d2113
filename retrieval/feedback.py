"""Feedback: a caller's mark on a result of a recall."""

from dataclasses import dataclass
from uuid import UUID

from banks.errors import MemoryNotFound
from banks.models import Bank, Chunk, MemoryUnit
from retrieval.errors import RecallNotFound
from retrieval.models import Feedback, RecallRecord
from retrieval.recall_log import RECALL_LOG, LoggedResult, find_result, get_oldest


@dataclass(frozen=True)
class Mark:
    recall_id: UUID
    memory_id: UUID
    useful: bool
    comment: str
    marked_by: str


def get_recall(bank: Bank, recall_id: UUID) -> RecallRecord:
    record = RecallRecord.objects.of_bank(bank).kept(get_oldest()).filter(recall_id=recall_id).first()
    record = record or RECALL_LOG.find(bank, recall_id)
    if record is None:
        raise RecallNotFound(recall_id)
    return record


def mark_result(bank: Bank, mark: Mark) -> Feedback:
    """Call inside a tenant transaction. A later mark of the same caller replaces the earlier one."""
    result = find_result(get_recall(bank, mark.recall_id), mark.memory_id)
    if result is None:
        raise MemoryNotFound(mark.memory_id)
    memory = lock_memory_of(bank, result)
    rows = Feedback.objects.of_bank(bank).about(mark.memory_id)
    row = rows.filter(recall_id=mark.recall_id, marked_by=mark.marked_by).first()
    row = row or Feedback(bank=bank, recall_id=mark.recall_id, rank=result.rank, **memory)
    row.tenant_id = bank.tenant_id
    row.useful, row.comment, row.marked_by = mark.useful, mark.comment, mark.marked_by
    row.save()
    return row


def lock_memory_of(bank: Bank, result: LoggedResult) -> dict[str, MemoryUnit | Chunk]:
    """By the name of its field. The lock keeps the memory until the mark is stored, and marks on it in order."""
    found: MemoryUnit | Chunk | None
    if result.kind == "unit":
        found = MemoryUnit.objects.of_bank(bank).filter(id=result.id).select_for_update(no_key=True).only("id").first()
    else:
        rows = Chunk.objects.of_bank(bank).filter(id=result.id)
        found = rows.select_for_update(no_key=True).only("id").first()
    if found is None:
        raise MemoryNotFound(result.id)
    return {result.kind: found}
