"""Which import some lines belong to: one that is under way, or a new one, which may have to make its bank."""

import hashlib

from django.conf import settings

from banks.errors import BankExists, BankNotFound
from banks.models import Bank, Document, Entity, MemoryUnit, Message
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank, get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import IMPORT_BANK
from memoryplatform.operations.transfer.errors import BankNotEmpty, ImportOutOfStep, ImportUnderWay
from memoryplatform.operations.transfer.profile import write_profile
from memoryplatform.operations.transfer.progress import RECEIVING, Progress
from memoryplatform.operations.transfer.tables import count_rows
from tenants.audit import record


def open_bank(access: BankAccess, bank_id: str, *, first_line: int) -> tuple[Bank, bool]:
    """The bank, and whether it was made for this. Call inside the transaction that stores the lines."""
    try:
        return get_bank(access, bank_id), False
    except BankNotFound:
        if first_line != 1 or not access.reaches(bank_id):
            raise
    try:
        return create_bank(access, bank_id, BankChange()), True
    except BankExists:  # somebody else was quicker
        return get_bank(access, bank_id), False


def hash_header(body: bytes) -> str:
    """Two files differ in their first lines: it tells when the export was made."""
    return hashlib.sha256(body.lstrip().partition(b"\n")[0].strip()).hexdigest()


def find_operation(bank: Bank, digest: str) -> Operation | None:
    """The newest import, unless these lines begin another file, or the same one anew after all of it was deleted.

    One file at a time: the lines of a second would be taken for the first one's.
    """
    rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=IMPORT_BANK)
    newest = rows.order_by("-id").select_for_update(of=("self",), no_key=True).first()
    if newest is None or not digest:
        return newest
    if digest == newest.payload["digest"]:
        return find_same(bank, newest)
    if not newest.is_finished and not newest.payload["is_done"]:
        raise ImportUnderWay(newest.payload["next_line"])
    return None


def find_same(bank: Bank, newest: Operation) -> Operation | None:
    """The import of the same file: it goes on, or was done before. None where nothing is left of it."""
    if not newest.payload["is_done"]:
        return newest
    if is_empty(bank):
        return None
    if newest.payload["rows"].get("unit") and not MemoryUnit.objects.of_bank(bank).exists():
        raise BankNotEmpty(bank.bank_id)
    return newest


def begin(access: BankAccess, bank: Bank, progress: Progress, *, first_line: int) -> Operation:
    """A worker looks at it when the last line has come, or none for a day."""
    if first_line != 1:
        raise ImportOutOfStep("There is no import under way: begin with line 1.")
    if not is_empty(bank):
        raise BankNotEmpty(bank.bank_id)
    record(access.tenant_id, actor=access.actor, action="bank.imported", target=f"bank:{bank.bank_id}")
    progress.bank_changed_at = bank.updated_at.isoformat()
    if not progress.made_bank:
        progress.held, progress.former = count_rows(bank), write_profile(bank)
    return Operation.objects.for_tenant(bank.tenant_id).create(
        kind=IMPORT_BANK,
        bank=bank,
        bank_key=bank.bank_id,
        stage=RECEIVING,
        payload=vars(progress),
        max_attempts=settings.OPERATION_MAX_ATTEMPTS,
    )


def is_empty(bank: Bank) -> bool:
    models = (MemoryUnit, Message, Document, Entity)
    return not any(model.objects.for_tenant(bank.tenant_id).filter(bank=bank).exists() for model in models)


def check_step(progress: Progress, first_line: int) -> None:
    if first_line > progress.next_line:
        raise ImportOutOfStep(f"The next line is {progress.next_line}, and these begin with {first_line}.")
