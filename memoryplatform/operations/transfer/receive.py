"""Taking a file in, a part at a time. A part is stored whole or not at all, and what came before not twice.

An import of which nothing is heard for a day has failed, and goes on where it was when the file comes again.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Document, Entity, MemoryUnit, Message
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.retain import find_or_create_bank
from memoryplatform.operations.running.registry import get_kind
from memoryplatform.operations.running.submit import dispatch
from memoryplatform.operations.transfer import profile
from memoryplatform.operations.transfer.errors import BankNotEmpty, ImportInvalid, ImportOutOfStep, ImportUnderWay
from memoryplatform.operations.transfer.export import FORMAT, READABLE
from memoryplatform.operations.transfer.identifiers import Renaming
from memoryplatform.operations.transfer.insert import Target, insert_rows, join_rows
from memoryplatform.operations.transfer.lines import END, HEADER, Line, count_lines, read_lines
from memoryplatform.operations.transfer.tables import BY_NAME, LATER
from memoryplatform.operations.transfer.values import Unfit
from providers.registry import get_embedder
from tenants.audit import record
from tenants.transactions import tenant_transaction

KIND = "import_bank"
RECEIVING = "receiving"
ABANDONED = "import_abandoned"
ABANDONED_AFTER = timedelta(days=1)
BATCH = 500
LONGEST_HEADER = 4_000


@dataclass(frozen=True)
class Received:
    """`next_line` is where the next part begins; None once the end was read and a worker has what is left to do."""

    operation: Operation
    next_line: int | None
    rows: dict[str, int]


@dataclass
class Progress:
    """What is known from the parts before: it stands in the operation's payload."""

    next_line: int = 1
    header: dict[str, Any] | None = None
    digest: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    is_done: bool = False
    heard_at: str = ""

    def wait_for_more(self, now: datetime) -> timedelta:
        """How long it is still waited for; nothing or less where it has been abandoned."""
        return datetime.fromisoformat(self.heard_at) + ABANDONED_AFTER - now if self.heard_at else timedelta(0)


def import_part(access: BankAccess, bank_id: str, body: bytes, *, first_line: int) -> Received:
    if first_line == 1:
        bank = find_or_create_bank(access, bank_id)
    else:
        with tenant_transaction(access.tenant_id):
            bank = get_bank(access, bank_id)
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        digest = hash_header(body) if first_line == 1 else ""
        operation = find_operation(bank, digest) or begin(access, bank, first_line, digest)
        progress = Progress(**operation.payload)
        check_step(progress, first_line)
        take_in(bank, progress, body, first_line)
        keep(operation, progress)
        return Received(operation, None if progress.is_done else progress.next_line, progress.rows)


def hash_header(body: bytes) -> str:
    """Two files differ in their first lines: it tells when the export was made."""
    return hashlib.sha256(body.lstrip().partition(b"\n")[0].strip()).hexdigest()


def find_operation(bank: Bank, digest: str) -> Operation | None:
    """The newest import, unless these lines begin another file, or the same one anew after all of it was deleted.

    One file at a time: the lines of a second would be taken for the first one's.
    """
    rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=KIND)
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


def begin(access: BankAccess, bank: Bank, first_line: int, digest: str) -> Operation:
    """A worker looks at it when the last line has come, or none for a day."""
    if first_line != 1:
        raise ImportOutOfStep("There is no import under way: begin with line 1.")
    if not is_empty(bank):
        raise BankNotEmpty(bank.bank_id)
    target = f"bank:{bank.bank_id}"
    record(access.tenant_id, actor=access.actor, action="bank.imported", target=target)
    return Operation.objects.for_tenant(bank.tenant_id).create(
        kind=KIND,
        bank=bank,
        bank_key=bank.bank_id,
        stage=RECEIVING,
        payload=vars(Progress(digest=digest)),
        max_attempts=settings.OPERATION_MAX_ATTEMPTS,
    )


def is_empty(bank: Bank) -> bool:
    models = (MemoryUnit, Message, Document, Entity)
    return not any(model.objects.for_tenant(bank.tenant_id).filter(bank=bank).exists() for model in models)


def check_step(progress: Progress, first_line: int) -> None:
    if first_line > progress.next_line:
        raise ImportOutOfStep(f"The next line is {progress.next_line}, and these begin with {first_line}.")


def take_in(bank: Bank, progress: Progress, body: bytes, first_line: int) -> None:
    lines = [line for line in read_lines(body, first=first_line) if line.number >= progress.next_line]
    for kind, batch in in_batches(lines):
        if progress.is_done:
            raise ImportInvalid(batch[0].number, "Nothing may follow the end.")
        if progress.header is None or kind == HEADER:
            read_header(progress, batch)
        else:
            store(bank, progress, kind, batch)
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
    if not isinstance(line.row.get("vectors", False), bool):
        raise ImportInvalid(line.number, "The field 'vectors' must be true or false.")
    known = ("bank_id", "embedding_model", "exported_at", "vectors")
    progress.header = {name: line.row.get(name) for name in known}
    if len(orjson.dumps(progress.header)) > LONGEST_HEADER:
        raise ImportInvalid(line.number, "The header is too long.")


def store(bank: Bank, progress: Progress, kind: str, batch: list[Line]) -> None:
    if kind == profile.NAME:
        change_profile(bank, batch[-1])
        return
    if kind == END:
        check_end(progress, batch[0])
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
    bank.save(update_fields=[*fields, "updated_at"])


def check_end(progress: Progress, line: Line) -> None:
    """A file that lost some lines on its way has another number of rows."""
    if line.row.get("rows") != progress.rows:
        raise ImportInvalid(line.number, "The number of rows is not the one that the file itself tells.")
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
    queue, due_at = get_kind(KIND).queue, timezone.now() + ABANDONED_AFTER
    fields = {"tenant_id": operation.tenant_id, "queue": queue, "due_at": due_at, "wakes": 0}
    Dispatch.objects.update_or_create(operation_id=operation.id, defaults=fields)
