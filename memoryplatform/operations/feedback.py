"""Feedback of callers on recalled memories, and the recalls that it names."""

from uuid import UUID

from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.profile import bank_transaction, get_bank
from memoryplatform.operations.protection import screen_fields
from retrieval.feedback import Mark, get_recall
from retrieval.feedback import mark_result as store_mark
from retrieval.models import Feedback, RecallRecord
from retrieval.recall_log import get_oldest
from tenants.transactions import tenant_transaction

MOST_SEARCHED = 200  # recalls of the bank, the newest first


def show_recall(access: BankAccess, bank_id: str, recall_id: UUID) -> RecallRecord:
    with bank_transaction(access, bank_id) as bank:
        return get_recall(bank, recall_id)


def mark_result(
    access: BankAccess, bank_id: str, *, recall_id: UUID, memory_id: UUID, useful: bool, comment: str = ""
) -> Feedback:
    with bank_transaction(access, bank_id) as bank:
        given = screen_fields(bank, {"comment": comment})
        return store_mark(bank, Mark(recall_id, memory_id, useful=useful, **given, marked_by=name_of(access)))


def find_latest_recall(access: BankAccess, bank_id: str, memory_id: UUID) -> UUID | None:
    """The newest recall that returned the memory. A recall is in the log about a second after its answer."""
    with tenant_transaction(access.tenant_id):
        rows = (
            RecallRecord.objects.of_bank(get_bank(access, bank_id))
            .kept(get_oldest())
            .filter(purpose=RecallRecord.Purpose.RECALL)
            .order_by("-id")
        )
        latest = rows.values_list("recall_id", "results")[:MOST_SEARCHED]
        wanted = str(memory_id)
        return next((recall_id for recall_id, results in latest if wanted in {one["id"] for one in results}), None)
