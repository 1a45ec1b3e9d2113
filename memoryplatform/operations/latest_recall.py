"""Which recall a caller means who has a memory of it in hand and not its id."""

from uuid import UUID

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from retrieval.log.recalls import get_oldest
from retrieval.models import RecallRecord
from tenants.transactions import tenant_transaction

MOST_LOOKED_AT = 200  # recalls of the bank, the newest first


def find_latest_recall(access: BankAccess, bank_id: str, memory_id: UUID) -> UUID | None:
    """The newest of the log that found the memory. A recall is there about a second after it was answered."""
    with tenant_transaction(access.tenant_id):
        rows = (
            RecallRecord.objects.of_bank(get_bank(access, bank_id))
            .kept(get_oldest())
            .filter(purpose=RecallRecord.Purpose.RECALL)
            .order_by("-id")
        )
        latest = rows.values_list("recall_id", "results")[:MOST_LOOKED_AT]
        return next((recall_id for recall_id, results in latest if holds(results, str(memory_id))), None)


def holds(results: list[dict[str, object]], memory_id: str) -> bool:
    return any(result["id"] == memory_id for result in results)
