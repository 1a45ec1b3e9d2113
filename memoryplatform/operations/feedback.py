"""What callers say about recalled memories, and whether a bank's recall listens to it."""

from dataclasses import dataclass
from uuid import UUID

from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.versions import check_version, write_version
from retrieval.feedback.marking import Mark, get_recall, lock_weights
from retrieval.feedback.marking import mark_result as store_mark
from retrieval.models import ChannelWeights, Feedback, RecallRecord
from retrieval.types import Channel
from tenants.audit import record
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Tuning:
    learn_from_feedback: bool
    weights: dict[str, float]
    marks: int

    @property
    def version(self) -> str:
        """Of what can be changed by hand: a mark more makes no other one."""
        return write_version({"learn_from_feedback": self.learn_from_feedback})


def show_recall(access: BankAccess, bank_id: str, recall_id: UUID) -> RecallRecord:
    with tenant_transaction(access.tenant_id):
        return get_recall(get_bank(access, bank_id), recall_id)


def mark_result(
    access: BankAccess, bank_id: str, *, recall_id: UUID, memory_id: UUID, useful: bool, comment: str = ""
) -> Feedback:
    mark = Mark(recall_id, memory_id, useful=useful, comment=comment, marked_by=name_of(access))
    with tenant_transaction(access.tenant_id):
        return store_mark(get_bank(access, bank_id), mark)


def show_tuning(access: BankAccess, bank_id: str) -> Tuning:
    with tenant_transaction(access.tenant_id):
        return describe(ChannelWeights.objects.of_bank(get_bank(access, bank_id)).first() or ChannelWeights())


def change_tuning(
    access: BankAccess, bank_id: str, *, learn_from_feedback: bool, expected: frozenset[str] | None = None
) -> Tuning:
    """`expected` are the versions that the caller takes it for, or None where he does not care."""
    with tenant_transaction(access.tenant_id):
        row = lock_weights(get_bank(access, bank_id))
        check_version(describe(row).version, expected)
        row.learn_from_feedback = learn_from_feedback
        row.save(update_fields=["learn_from_feedback", "updated_at"])
        record(
            access.tenant_id,
            actor=access.actor,
            action="bank.tuning_changed",
            target=f"bank:{bank_id}",
            detail={"learn_from_feedback": learn_from_feedback},
        )
        return describe(row)


def describe(row: ChannelWeights) -> Tuning:
    weights = {channel.value: float(row.weights.get(channel.value, 1.0)) for channel in Channel}
    return Tuning(row.learn_from_feedback, weights, row.marks)
