"""Items in quarantine: list, release into the memory, delete."""

from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, QuarantinedItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.legal_hold import check_not_held
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.errors import QuarantinedItemNotFound
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import Screened, list_flags, read_quarantined
from memoryplatform.operations.retain import accept
from protection.modes import Protection


def get_item(bank: Bank, item_id: UUID) -> QuarantinedItem:
    """Locks the row: of two reviewers at once, one finds it gone. Call inside a tenant transaction."""
    row = QuarantinedItem.objects.of_bank(bank).select_for_update(of=("self",)).filter(id=item_id).first()
    if row is None:
        raise QuarantinedItemNotFound(item_id)
    return row


def release_item(access: BankAccess, bank_id: str, item_id: UUID) -> Operation:
    """Retains the item as it is, in the background, and takes it out of quarantine in the same transaction."""
    with bank_transaction(access, bank_id) as bank:
        row = get_item(bank, item_id)
        item = read_quarantined(row)
        screened = Screened((item,), (list_flags(Protection.read(bank.protection), item),))
        operation = accept(access, bank, screened, idempotency_key=None, wake=True, asked={})
        row.delete()
        detail = {"bank_id": bank_id, "operation_id": str(operation.id)}
        access.record("quarantine.released", f"quarantined_item:{item_id}", detail)
        return operation


def delete_item(access: BankAccess, bank_id: str, item_id: UUID) -> None:
    """Raises LegalHold. The row is locked before the memory, as by an erasure."""
    with bank_transaction(access, bank_id) as bank:
        row = get_item(bank, item_id)
        lock_memory(bank)
        check_not_held(bank)
        row.delete()
        access.record("quarantine.deleted", f"quarantined_item:{item_id}", {"bank_id": bank_id})
