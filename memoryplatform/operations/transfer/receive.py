"""Taking a file in, a part at a time. A part is stored whole or not at all, and what came before not twice.

An import of which nothing is heard for a day has failed, and goes on where it was when the file comes again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import orjson
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import IMPORT_BANK
from memoryplatform.operations.running.registry import get_kind
from memoryplatform.operations.running.submit import dispatch
from memoryplatform.operations.transfer import profile
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.export import FORMAT, READABLE
from memoryplatform.operations.transfer.identifiers import Renaming
from memoryplatform.operations.transfer.insert import Target, explain, insert_rows, join_rows
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
from memoryplatform.operations.transfer.progress import ABANDONED, ABANDONED_AFTER, Progress
from memoryplatform.operations.transfer.tables import BY_NAME, LATER
from memoryplatform.operations.transfer.take_back import take_back
from memoryplatform.operations.transfer.under_way import begin, check_step, find_operation, hash_header, open_bank
from memoryplatform.operations.transfer.values import Unfit
from providers.registry import get_embedder
from tenants.transactions import tenant_transaction

BATCH = 500
LONGEST_HEADER = 4_000
AFTER_THE_END = "Nothing may follow the end."


@dataclass(frozen=True)
class Received:
    """`next_line` is where the next part begins; None once the end was read and a worker has what is left to do."""

    operation: Operation
    next_line: int | None
    rows: dict[str, int]


def import_part(access: BankAccess, bank_id: str, body: bytes, *, first_line: int) -> Received:
    """Lines that are refused take the whole import back, and a bank that it made goes with it."""
    get_embedder()  # no transaction waits until it is loaded
    with tenant_transaction(access.tenant_id):
        bank, is_new = open_bank(access, bank_id, first_line=first_line)
        lock_memory(bank)
        digest = hash_header(body) if first_line == 1 else ""
        known = find_operation(bank, digest)
        begun = Progress(digest=digest, made_bank=is_new)
        operation = known or begin(access, bank, begun, first_line=first_line)
        try:
            with transaction.atomic():
                return receive(bank, operation, body, first_line)
        except ImportInvalid as fault:
            if known is None or known.payload["is_done"]:
                raise  # all that was written for it goes with this transaction; what is done stays
            refusal = fault
            known.refresh_from_db()
            take_back(access, bank, known, fault)
    raise refusal


def receive(bank: Bank, operation: Operation, body: bytes, first_line: int) -> Received:
    progress = Progress(**operation.payload)
    check_step(progress, first_line)
    take_in(bank, progress, body, first_line)
    keep(operation, progress)
    return Received(operation, None if progress.is_done else progress.next_line, progress.rows)


def take_in(bank: Bank, progress: Progress, body: bytes, first_line: int) -> None:
    lines = [line for line in read_lines(body, first=first_line) if line.number >= progress.next_line]
    for kind, batch in in_batches(lines):
        if progress.is_done:
            raise ImportInvalid(batch[0].number, AFTER_THE_END)
        if kind == ERROR:
            raise ImportInvalid(batch[0].number, "The export broke off here: this file is not whole.")
        if progress.header is None or kind == HEADER:
            read_header(progress, batch)
        else:
            store(bank, progress, kind, batch)
    if progress.header is None:
        raise ImportInvalid(first_line, "A file begins with a header, and here is none.")
    progress.next_line = max(progress.next_line, first_line + count_lines(body))


def in_batches(lines: Iterable[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Lines of one kind that follow each other."""
    for kind, group in groupby(lines, key=lambda line: line.kind):
        same = list(group)
        for start in range(0, len(same), BATCH):
            yield kind, same[start : start + BATCH]


def read_header(progress: Progress, batch: list[Line]) -> None:
    line = batch[0]
    if progress.header is not None or line.kind != HEADER or len(batch) > 1:
        raise ImportInvalid(batch[-1].number, "A file begins with one header, and has no other.")
    if line.row.get("format") != FORMAT or line.row.get("version") not in READABLE:
        raise ImportInvalid(line.number, f"This is no {FORMAT} of version {' or '.join(map(str, READABLE))}.")
    check_fields(line, HEADER_FIELDS)
    if not isinstance(line.row.get("vectors", False), bool):
        raise ImportInvalid(line.number, "The field 'vectors' must be true or false.")
    kept = ("bank_id", "embedding_model", "exported_at", "vectors")
    progress.header = {name: line.row.get(name) for name in kept}
    if len(orjson.dumps(progress.header)) > LONGEST_HEADER:
        raise ImportInvalid(line.number, "The header is too long.")


def store(bank: Bank, progress: Progress, kind: str, batch: list[Line]) -> None:
    if kind == profile.NAME:
        for line in batch:
            change_profile(bank, line)
        progress.bank_changed_at = bank.updated_at.isoformat()
        return
    if kind == END:
        check_end(progress, batch)
        return
    if kind in BY_NAME:
        insert_rows(build_target(bank, progress), BY_NAME[kind], batch)
    elif kind in LATER:
        join_rows(bank, LATER[kind], batch)
    else:
        raise ImportInvalid(batch[0].number, "There is no such type.")
    progress.rows[kind] = progress.rows.get(kind, 0) + len(batch)


def build_target(bank: Bank, progress: Progress) -> Target:
    header = progress.header or {}
    embedder = get_embedder()
    is_same = header.get("embedding_model") == bank.embedding_model == embedder.model_id
    return Target(bank, vectors=bool(header.get("vectors")), dimension=embedder.dimension if is_same else None)


def change_profile(bank: Bank, line: Line) -> None:
    try:
        fields = profile.read_profile(line.row, Renaming(bank.id))
    except Unfit as fault:
        raise ImportInvalid(line.number, f"The bank {fault}.") from None
    for name, value in fields.items():
        setattr(bank, name, value)
    try:
        with transaction.atomic():
            bank.save(update_fields=[*fields, "updated_at"])
    except (IntegrityError, DataError) as error:
        raise ImportInvalid(line.number, explain(error)) from None


def check_end(progress: Progress, batch: list[Line]) -> None:
    """A file that lost some lines on its way has another number of rows."""
    line = batch[0]
    check_fields(line, END_FIELDS)
    if line.row.get("rows") != progress.rows:
        raise ImportInvalid(line.number, "The number of rows is not the one that the file itself tells.")
    if len(batch) > 1:
        raise ImportInvalid(batch[1].number, AFTER_THE_END)
    progress.is_done = True


def keep(operation: Operation, progress: Progress) -> None:
    was_done, was_abandoned = operation.payload.get("is_done", False), operation.error_code == ABANDONED
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
        look_after_a_day(operation)


def look_after_a_day(operation: Operation) -> None:
    queue, due_at = get_kind(IMPORT_BANK).queue, timezone.now() + ABANDONED_AFTER
    fields = {"tenant_id": operation.tenant_id, "queue": queue, "due_at": due_at, "wakes": 0}
    Dispatch.objects.update_or_create(operation_id=operation.id, defaults=fields)
