"""A caller's mark on a result: stored, and learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.errors import MemoryNotFound
from banks.models import Bank, Chunk, MemoryUnit
from retrieval.feedback.errors import RecallNotFound
from retrieval.feedback.learning import learn
from retrieval.log.entry import LoggedResult, read_results
from retrieval.log.recalls import RECALL_LOG, get_oldest
from retrieval.models import ChannelWeights, Feedback, RecallRecord
from retrieval.types import Channel


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
    """Call inside a tenant transaction. The same mark again changes nothing but its comment."""
    results = read_results(get_recall(bank, mark.recall_id))
    result = next((one for one in results if one.id == mark.memory_id), None)
    if result is None:
        raise MemoryNotFound(mark.memory_id)
    weights = lock_weights(bank)
    memory = lock_memory_of(bank, result)
    before = find_mark(bank, mark)
    learn_from(weights, results, result, useful=mark.useful, times=count_steps(before, mark))
    return store_mark(before or Feedback(bank=bank, recall_id=mark.recall_id, rank=result.rank, **memory), mark)


def lock_weights(bank: Bank) -> ChannelWeights:
    """Whoever holds the row is the only one who marks in this bank."""
    rows = ChannelWeights.objects.of_bank(bank)
    rows.bulk_create([ChannelWeights(bank=bank)], ignore_conflicts=True)
    return rows.select_for_update().get()


def lock_memory_of(bank: Bank, result: LoggedResult) -> dict[str, MemoryUnit | Chunk]:
    """By the name of its field; it can't be deleted before the mark is stored."""
    found: MemoryUnit | Chunk | None
    if result.kind == "unit":
        found = MemoryUnit.objects.of_bank(bank).filter(id=result.id).select_for_update(no_key=True).only("id").first()
    else:
        rows = Chunk.objects.of_bank(bank).filter(id=result.id)
        found = rows.select_for_update(no_key=True).only("id").first()
    if found is None:
        raise MemoryNotFound(result.id)
    return {result.kind: found}


def find_mark(bank: Bank, mark: Mark) -> Feedback | None:
    rows = Feedback.objects.of_bank(bank).about(mark.memory_id)
    return rows.filter(recall_id=mark.recall_id, marked_by=mark.marked_by).first()


def count_steps(before: Feedback | None, mark: Mark) -> int:
    """A mark that replaces its opposite counts twice: once to take that back."""
    if before is None:
        return 1
    return 0 if before.useful == mark.useful else 2


def learn_from(
    row: ChannelWeights, results: Sequence[LoggedResult], result: LoggedResult, *, useful: bool, times: int
) -> None:
    asked = {channel for one in results for channel in one.ranks}
    weights = {Channel(channel): weight for channel, weight in row.weights.items()}
    for _ in range(times):
        weights = learn(weights, result.ranks, useful=useful, asked=asked)
    if times:
        row.weights = {channel.value: weight for channel, weight in weights.items()}
        row.marks += times == 1
        row.save(update_fields=["weights", "marks", "updated_at"])


def store_mark(row: Feedback, mark: Mark) -> Feedback:
    row.tenant_id = row.bank.tenant_id
    row.useful, row.comment, row.marked_by = mark.useful, mark.comment, mark.marked_by
    row.save()
    return row
