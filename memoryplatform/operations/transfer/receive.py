"""Importing a file, one part at a time. A part is stored whole or not at all, and lines are never stored twice.

An import without a new part for a day has failed. It continues if the client sends the next part after all. Invalid
lines undo the import: the bank is afterwards as it was before the first part. An import is undone only if every new row
in the bank is its own. Rows that others wrote meanwhile stay.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import orjson
import structlog
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank
from memoryplatform.observability.metrics import count_operation
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good, find_banks, find_or_create_bank, get_bank
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import IMPORT_BANK
from memoryplatform.operations.running.registry import get_kind
from memoryplatform.operations.running.run import OperationFault, finish
from memoryplatform.operations.running.submit import dispatch
from memoryplatform.operations.transfer import import_state, tables
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.export import FORMAT, READABLE
from memoryplatform.operations.transfer.insert import Target, explain, insert_rows, set_self_references
from memoryplatform.operations.transfer.lines import (
    END,
    END_FIELDS,
    ERROR,
    HEADER,
    HEADER_FIELDS,
    Line,
    check_fields,
    count_lines,
    read_lines,
)
from memoryplatform.operations.transfer.values import IdRenaming, InvalidValue
from protection.modes import Protection
from providers.registry import get_embedder, list_embedding_models
from tenants.transactions import tenant_transaction

log = structlog.get_logger(__name__)


def undo_import(access: BankAccess, bank: Bank, operation: Operation, fault: ImportInvalid) -> None:
    """Call inside a tenant transaction that holds the bank's memory and the operation, whose row is as it was stored.

    The lock on the bank's row waits for writers, so that their rows are counted. An import that can't be undone keeps
    waiting for its next line.
    """
    bank = Bank.objects.for_tenant(access.tenant_id).select_for_update().get(id=bank.id)
    progress = import_state.Progress(**operation.payload)
    if not owns_all_rows(bank, progress):
        log.warning("import.not_undone", operation_id=str(operation.id))
        return
    if progress.made_bank:
        delete_bank_for_good(access, bank.bank_id)
    else:
        remove_rows(bank, progress)
        restore_profile(bank, progress)
    fail_import(operation, fault)


def owns_all_rows(bank: Bank, progress: import_state.Progress) -> bool:
    """Whether the bank is unchanged by others, and no type has both older rows and rows of the import."""
    mixed = set(progress.rows) & set(progress.held)
    expected = {name: number for name, number in progress.rows.items() if name in tables.BANK_TABLES} | progress.held
    return not mixed and expected == tables.count_rows(bank) and progress.bank_changed_at == bank.updated_at.isoformat()


def remove_rows(bank: Bank, progress: import_state.Progress) -> None:
    """Rows without a bank column belong to rows with one, and go with them."""
    for table in reversed([table for name, table in tables.BANK_TABLES.items() if name in progress.rows]):
        table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank_path: bank.id}).delete()


def restore_profile(bank: Bank, progress: import_state.Progress) -> None:
    fields = tables.read_profile(progress.former or {}, IdRenaming(bank.id))
    for name, value in fields.items():
        setattr(bank, name, value)
    bank.save(update_fields=[*fields, "updated_at"])


def fail_import(operation: Operation, fault: ImportInvalid) -> None:
    """Nothing of the import is left, so the same file is a new import."""
    operation.next_attempt_at = None
    operation.payload = vars(import_state.Progress())
    finish(operation, Operation.Status.FAILED, OperationFault(fault.code, str(fault)))
    count_operation(operation.kind, operation.status)


BATCH = 500
LONGEST_HEADER = 4_000
HEADER_TEXTS = ("bank_id", "embedding_model", "exported_at")
AFTER_THE_END = "Nothing may follow the end."


@dataclass(frozen=True)
class Received:
    """`next_line` is the first line of the next part; None after the end, when a worker does the rest."""

    operation: Operation
    next_line: int | None
    rows: dict[str, int]


def load_embedder(access: BankAccess, bank_id: str) -> None:
    """Raises EmbeddingModelUnavailable before a line is stored. A transaction would wait for the load."""
    with tenant_transaction(access.tenant_id):
        rows = find_banks(access).filter(bank_id=bank_id.replace("\x00", "?"))
        model = rows.values_list("embedding_model", flat=True).first()
    get_embedder(model)


def import_part(access: BankAccess, bank_id: str, body: bytes, *, first_line: int) -> Received:
    """Invalid lines undo the whole import, with the bank if the import made it."""
    load_embedder(access, bank_id)
    with tenant_transaction(access.tenant_id):
        bank, is_new = find_or_create_bank(access, bank_id) if first_line == 1 else (get_bank(access, bank_id), False)
        import_state.lock_newest(bank)  # before the memory, as the worker of the import locks them
        lock_memory(bank)
        digest = import_state.hash_header(body) if first_line == 1 else ""
        known = import_state.find_operation(bank, digest)
        begun = import_state.Progress(digest=digest, made_bank=is_new, protection=bank.protection)
        operation = known or import_state.begin(access, bank, begun, first_line=first_line)
        try:
            with transaction.atomic():
                return receive(bank, operation, body, first_line)
        except ImportInvalid as fault:
            if known is None or known.payload["is_done"]:
                raise  # this transaction holds all rows of the import; a complete import stays
            refusal = fault
            known.refresh_from_db()
            undo_import(access, bank, known, fault)
    raise refusal


def receive(bank: Bank, operation: Operation, body: bytes, first_line: int) -> Received:
    progress = import_state.Progress(**operation.payload)
    import_state.check_step(progress, first_line)
    store_lines(bank, progress, body, first_line)
    save_progress(operation, progress)
    return Received(operation, None if progress.is_done else progress.next_line, progress.rows)


def store_lines(bank: Bank, progress: import_state.Progress, body: bytes, first_line: int) -> None:
    lines = [line for line in read_lines(body, first=first_line) if line.number >= progress.next_line]
    for kind, batch in batch_lines(lines):
        if progress.is_done:
            raise ImportInvalid(batch[0].number, AFTER_THE_END)
        if kind == ERROR:
            raise ImportInvalid(batch[0].number, "The export broke off here: this file is not whole.")
        if progress.header is None or kind == HEADER:
            read_header(progress, batch)
            take_model(bank, progress)
        else:
            store(bank, progress, kind, batch)
    if progress.header is None:
        raise ImportInvalid(first_line, "A file must begin with a header.")
    progress.next_line = max(progress.next_line, first_line + count_lines(body))


def batch_lines(lines: Iterable[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Batches of consecutive lines of one kind."""
    for kind, group in groupby(lines, key=lambda line: line.kind):
        same = list(group)
        for start in range(0, len(same), BATCH):
            yield kind, same[start : start + BATCH]


def read_header(progress: import_state.Progress, batch: list[Line]) -> None:
    line = batch[0]
    if progress.header is not None or line.kind != HEADER or len(batch) > 1:
        raise ImportInvalid(batch[-1].number, "A file must begin with one header and have no other.")
    if line.row.get("format") != FORMAT or line.row.get("version") not in READABLE:
        raise ImportInvalid(line.number, f"This is no {FORMAT} of version {' or '.join(map(str, READABLE))}.")
    check_fields(line, HEADER_FIELDS)
    if not isinstance(line.row.get("vectors", False), bool):
        raise ImportInvalid(line.number, "The field 'vectors' must be true or false.")
    for name in HEADER_TEXTS:
        value = line.row.get(name)
        if value is not None and (not isinstance(value, str) or "\x00" in value):
            raise ImportInvalid(line.number, f"The field '{name}' must be a text without null characters.")
    progress.header = {name: line.row.get(name) for name in (*HEADER_TEXTS, "vectors")}
    if len(orjson.dumps(progress.header)) > LONGEST_HEADER:
        raise ImportInvalid(line.number, "The header is too long.")


def take_model(bank: Bank, progress: import_state.Progress) -> None:
    """A bank that the import made takes the model of the file, if this installation has it: the vectors stay usable."""
    model = (progress.header or {}).get("embedding_model")
    if progress.made_bank and model != bank.embedding_model and model in list_embedding_models():
        bank.embedding_model = str(model)
        bank.save(update_fields=["embedding_model", "updated_at"])
        progress.bank_changed_at = bank.updated_at.isoformat()


def store(bank: Bank, progress: import_state.Progress, kind: str, batch: list[Line]) -> None:
    if kind == tables.PROFILE:
        for line in batch:
            change_profile(bank, line, keeps_protection=not progress.made_bank)
        progress.bank_changed_at = bank.updated_at.isoformat()
        return
    if kind == END:
        check_end(progress, batch)
        return
    if kind in tables.TABLES_BY_NAME:
        insert_rows(build_target(bank, progress), tables.TABLES_BY_NAME[kind], batch)
    elif kind in tables.SELF_REFERENCES:
        set_self_references(bank, tables.SELF_REFERENCES[kind], batch)
    elif kind not in tables.DROPPED:
        raise ImportInvalid(batch[0].number, "There is no such type.")
    progress.rows[kind] = progress.rows.get(kind, 0) + len(batch)


def build_target(bank: Bank, progress: import_state.Progress) -> Target:
    header = progress.header or {}
    is_same = header.get("embedding_model") == bank.embedding_model
    held = Protection.read(progress.protection) if progress.protection else Protection()
    return Target(
        bank,
        vectors=bool(header.get("vectors")),
        dimension=get_embedder(bank.embedding_model).dimension if is_same else None,
        protection=None if held.is_off else held,
    )


def change_profile(bank: Bank, line: Line, *, keeps_protection: bool) -> None:
    """A bank that was there before keeps its protection: a file must not switch it off for its own lines."""
    try:
        fields = tables.read_profile(line.row, IdRenaming(bank.id))
    except InvalidValue as fault:
        raise ImportInvalid(line.number, f"The bank {fault}.") from None
    if keeps_protection:
        fields.pop("protection", None)
    for name, value in fields.items():
        setattr(bank, name, value)
    try:
        with transaction.atomic():
            bank.save(update_fields=[*fields, "updated_at"])
    except (IntegrityError, DataError) as error:
        raise ImportInvalid(line.number, explain(error)) from None


def check_end(progress: import_state.Progress, batch: list[Line]) -> None:
    """Compare the number of rows, to detect a file that lost lines."""
    line = batch[0]
    check_fields(line, END_FIELDS)
    if line.row.get("rows") != progress.rows:
        raise ImportInvalid(line.number, "The number of rows is not the one that the end names.")
    if len(batch) > 1:
        raise ImportInvalid(batch[1].number, AFTER_THE_END)
    progress.is_done = True


def save_progress(operation: Operation, progress: import_state.Progress) -> None:
    was_done, was_abandoned = operation.payload.get("is_done", False), operation.error_code == import_state.ABANDONED
    progress.heard_at = timezone.now().isoformat()
    operation.payload = vars(progress)
    if was_abandoned:
        operation.status, operation.attempts, operation.finished_at = Operation.Status.PENDING, 0, None
    if was_abandoned or not was_done:
        operation.error_code = operation.error_detail = ""
        operation.next_attempt_at = None
    operation.save()
    if progress.is_done and (was_abandoned or not was_done):
        Dispatch.objects.filter(operation_id=operation.id).delete()
        dispatch(operation)
    elif not progress.is_done:
        schedule_abandonment(operation)


def schedule_abandonment(operation: Operation) -> None:
    queue, due_at = get_kind(IMPORT_BANK).queue, timezone.now() + import_state.ABANDONED_AFTER
    fields = {"tenant_id": operation.tenant_id, "queue": queue, "due_at": due_at, "wakes": 0}
    Dispatch.objects.update_or_create(operation_id=operation.id, defaults=fields)
