"""What a handler holds while it works on an operation."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.endings import tell_end
from memoryplatform.operations.running.lease import Lease


@dataclass
class Run:
    lease: Lease
    payload: dict[str, Any]
    attempt: int
    bank_pk: UUID | None
    is_complete: bool = field(default=False, init=False)

    @property
    def tenant_id(self) -> UUID:
        return self.lease.tenant_id

    def transaction(self) -> AbstractContextManager[Operation]:
        """Where a handler writes: refused with LeaseLost once another worker took over or somebody cancelled."""
        return self.lease.transaction()

    def report(self, stage: str, *, processed: int, total: int) -> None:
        """Show progress to whoever waits."""
        with self.transaction() as operation:
            operation.stage, operation.processed, operation.total = stage, processed, total
            operation.save(update_fields=["stage", "processed", "total", "updated_at"])

    def complete(self, operation: Operation, result: dict[str, Any]) -> None:
        """Finish together with the handler's last writes. Call inside `transaction()` with what it yielded."""
        operation.status = Operation.Status.COMPLETED
        operation.result = result
        operation.error_code = operation.error_detail = ""
        operation.finished_at = timezone.now()
        operation.lease_until = None
        operation.save()
        Dispatch.objects.filter(operation_id=operation.id).delete()
        tell_end(operation)
        self.is_complete = True
