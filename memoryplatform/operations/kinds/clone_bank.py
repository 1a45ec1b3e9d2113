"""Copying a bank: an export that is imported under another id, without leaving the service."""

from collections.abc import Iterator
from datetime import timedelta
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import NotYet, PermanentFailure
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.kind_names import CLONE_BANK
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.transfer.export import write_lines
from memoryplatform.operations.transfer.receive import import_part
from providers.registry import get_embedder
from tenants.audit import Actor

PART_BYTES = 4_000_000  # held in memory at once
A_WHILE = timedelta(seconds=2)


@operation_kind(CLONE_BANK, queue="background")
def clone_bank(run: Run) -> dict[str, Any]:
    """The rows come in one transaction, so that there is a whole copy or none. An import goes on from there."""
    import_id = UUID(run.payload["import_id"] if "import_id" in run.payload else copy(run))
    perform(run.tenant_id, import_id)
    with run.transaction() as operation:
        done = Operation.objects.for_tenant(run.tenant_id).get(id=import_id)
        if not done.is_finished:
            raise NotYet("The copy is being indexed.", wait=A_WHILE)
        if done.status != Operation.Status.COMPLETED:
            raise PermanentFailure(done.error_detail, code=done.error_code)
        result = {**(done.result or {}), "import_operation_id": str(import_id)}
        run.complete(operation, result)
    return result


def copy(run: Run) -> str:
    """Returns the id of the import, which stands in the payload from then on: a second attempt copies nothing more."""
    bank, target = load_bank(run), run.payload["target"]
    access = BankAccess(run.tenant_id, actor=Actor(api_key_prefix=run.payload["asked_by"]))
    get_embedder()  # no transaction waits until it is loaded
    with TemporaryFile() as file:
        file.writelines(write_lines(bank, vectors=True))
        file.seek(0)
        with run.transaction() as operation:
            if Bank.objects.for_tenant(run.tenant_id).live().filter(bank_id=target).exists():
                raise PermanentFailure(f"There is a bank '{target}' already.", code="bank_exists")
            for first_line, part in cut(file):
                received = import_part(access, target, part, first_line=first_line)
            operation.payload = operation.payload | {"import_id": str(received.operation.id)}
            operation.save(update_fields=["payload", "updated_at"])
    return str(received.operation.id)


def cut(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Parts of whole lines, each with the number of its first."""
    first_line = 1
    while lines := file.readlines(PART_BYTES):
        yield first_line, b"".join(lines)
        first_line += len(lines)
