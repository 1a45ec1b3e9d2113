"""Undoing an import that was refused: what there is afterwards is what there was before its first part came.

What stands in the bank is only undone where all of it is the import's: whatever somebody else wrote meanwhile is his.
"""

import structlog
from django.utils import timezone

from banks.models import Bank
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.endings import tell_end
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.identifiers import Renaming
from memoryplatform.operations.transfer.profile import read_profile
from memoryplatform.operations.transfer.progress import Progress
from memoryplatform.operations.transfer.tables import OF_BANKS, count_rows

log = structlog.get_logger(__name__)


def take_back(access: BankAccess, bank: Bank, operation: Operation, fault: ImportInvalid) -> None:
    """Call inside a tenant transaction that holds the bank's memory and the operation, whose row is as it was stored.

    The bank's row is locked against those who write into it: what they began is waited for and counted. Where the
    import can't be undone it goes on to wait for its next line.
    """
    bank = Bank.objects.for_tenant(access.tenant_id).select_for_update().get(id=bank.id)
    progress = Progress(**operation.payload)
    if not is_its_own(bank, progress):
        log.warning("import.not_taken_back", operation_id=str(operation.id))
        return
    if progress.made_bank:
        delete_bank_for_good(access, bank.bank_id)
    else:
        remove_rows(bank, progress)
        restore_profile(bank, progress)
    fail(operation, fault)


def is_its_own(bank: Bank, progress: Progress) -> bool:
    """Nobody else changed the bank, and of no type are there rows of the import beside those that were there."""
    mixed = set(progress.rows) & set(progress.held)
    expected = {name: number for name, number in progress.rows.items() if name in OF_BANKS} | progress.held
    return not mixed and expected == count_rows(bank) and progress.bank_changed_at == bank.updated_at.isoformat()


def remove_rows(bank: Bank, progress: Progress) -> None:
    """Those that have no bank of their own hang on some that have, and go with them."""
    for table in reversed([table for name, table in OF_BANKS.items() if name in progress.rows]):
        table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank: bank.id}).delete()


def restore_profile(bank: Bank, progress: Progress) -> None:
    fields = read_profile(progress.former or {}, Renaming(bank.id))
    for name, value in fields.items():
        setattr(bank, name, value)
    bank.save(update_fields=[*fields, "updated_at"])


def fail(operation: Operation, fault: ImportInvalid) -> None:
    """Nothing of it is left that could go on: the same file is a new import."""
    operation.status, operation.finished_at = Operation.Status.FAILED, timezone.now()
    operation.lease_until = operation.next_attempt_at = None
    operation.error_code, operation.error_detail = fault.code, str(fault)
    operation.payload = vars(Progress())
    operation.save()
    Dispatch.objects.filter(operation_id=operation.id).delete()
    tell_end(operation)
    count_operation(operation.kind, operation.status)
