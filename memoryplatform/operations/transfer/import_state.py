"""The state of an import: its progress, which is the operation's payload, and the operation that lines belong to."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from banks.models import Bank, Document, Entity, MemoryUnit, Message
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import IMPORT_BANK
from memoryplatform.operations.transfer.errors import BankNotEmpty, ImportOutOfStep, ImportUnderWay
from memoryplatform.operations.transfer.tables import count_rows, write_profile

RECEIVING = "receiving"
ABANDONED = "import_abandoned"
ABANDONED_AFTER = timedelta(days=1)


@dataclass
class Progress:
    """The result of the parts so far.

    The undo needs `made_bank`, `held` (older rows by type), `former` (the older profile) and `bank_changed_at`. They
    are stored in the transaction that makes the bank.
    """

    next_line: int = 1
    header: dict[str, Any] | None = None
    digest: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    is_done: bool = False
    links_similar: bool = False  # the worker links similar memories, because the file has no such links
    counts_memories: bool = True  # as new today, in the usage
    heard_at: str = ""
    made_bank: bool = False
    held: dict[str, int] = field(default_factory=dict)
    former: dict[str, Any] | None = None
    bank_changed_at: str = ""
    protection: dict[str, Any] | None = None  # of the bank before the first line

    def wait_for_more(self, now: datetime) -> timedelta:
        """The time until the import counts as abandoned; zero or less after that."""
        return datetime.fromisoformat(self.heard_at) + ABANDONED_AFTER - now if self.heard_at else timedelta(0)


def hash_header(body: bytes) -> str:
    """A hash of the first line, which holds the time of the export, so that two files differ in it."""
    return hashlib.sha256(body.lstrip().partition(b"\n")[0].strip()).hexdigest()


def lock_newest(bank: Bank) -> Operation | None:
    """The newest import of the bank. Call inside a tenant transaction."""
    rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=IMPORT_BANK)
    newest: Operation | None = rows.order_by("-id").select_for_update(of=("self",), no_key=True).first()
    return newest


def find_operation(bank: Bank, digest: str) -> Operation | None:
    """The newest import. None if these lines begin another file, or the same file after its rows were deleted.

    A bank takes one file at a time: lines of a second file could not be told apart.
    """
    newest = lock_newest(bank)
    if newest is None or not digest:
        return newest
    if digest == newest.payload["digest"]:
        return find_same(bank, newest)
    if not newest.is_finished and not newest.payload["is_done"]:
        raise ImportUnderWay(newest.payload["next_line"])
    return None


def find_same(bank: Bank, newest: Operation) -> Operation | None:
    """The import of the same file, which goes on or is complete. None if none of its rows are left."""
    if not newest.payload["is_done"]:
        return newest
    if is_empty(bank):
        return None
    if newest.payload["rows"].get("unit") and not MemoryUnit.objects.of_bank(bank).exists():
        raise BankNotEmpty(bank.bank_id)
    return newest


def begin(access: BankAccess, bank: Bank, progress: Progress, *, first_line: int) -> Operation:
    """Create the operation. A worker looks at it after the last line, or after a day without lines."""
    if first_line != 1:
        raise ImportOutOfStep("There is no import under way: begin with line 1.")
    if not is_empty(bank):
        raise BankNotEmpty(bank.bank_id)
    access.record("bank.imported", f"bank:{bank.bank_id}")
    progress.bank_changed_at = bank.updated_at.isoformat()
    if not progress.made_bank:
        progress.held, progress.former = count_rows(bank), write_profile(bank)
    return Operation.objects.for_tenant(bank.tenant_id).create(
        kind=IMPORT_BANK,
        bank=bank,
        bank_key=bank.bank_id,
        api_key_prefix=access.actor.api_key_prefix,
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
