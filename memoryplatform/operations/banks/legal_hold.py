"""Legal hold: nothing of the bank is erased, deleted or expired until an admin lifts the hold."""

from django.utils import timezone

from banks.errors import LegalHold
from banks.locking import lock_memory
from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction, get_bank


def set_hold(access: BankAccess, bank_id: str, reason: str) -> Bank:
    """A second call changes the reason and keeps the date. A deletion that runs is over before the hold begins."""
    with bank_transaction(access, bank_id) as found:
        lock_memory(found)  # before the row of the bank, as an erasure and an import lock them
        bank = get_bank(access, bank_id, lock=True)
        bank.held_since, bank.hold_reason = bank.held_since or timezone.now(), reason
        bank.save(update_fields=["held_since", "hold_reason"])
        access.record("bank.held", f"bank:{bank_id}", {"reason": reason})
        return bank


def lift_hold(access: BankAccess, bank_id: str) -> Bank:
    with bank_transaction(access, bank_id, lock=True) as bank:
        if bank.held_since is not None:
            bank.held_since, bank.hold_reason = None, ""
            bank.save(update_fields=["held_since", "hold_reason"])
            access.record("bank.released", f"bank:{bank_id}")
        return bank


def check_not_held(bank: Bank) -> None:
    """Call inside the tenant transaction of a deletion, after `lock_memory` or with the row of the bank locked.

    The row is read again: the lock orders a deletion and the beginning of a hold.
    """
    if Bank.objects.for_tenant(bank.tenant_id).filter(id=bank.id, held_since__isnull=False).exists():
        raise LegalHold(bank.bank_id)
