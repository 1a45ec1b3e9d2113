"""Seeing accepted messages through to their memories."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memoryplatform_client.errors import OperationNotCompleted, WaitTimedOut
from memoryplatform_client.models.operations import OperationDetail
from memoryplatform_client.plans import Plan, perform
from memoryplatform_client.resources.operations import get_operation, retry_operation
from memoryplatform_client.retries import RetryPolicy
from memoryplatform_client.waiting import wait_for


@dataclass(frozen=True)
class ProcessProgress:
    """How many calls have ended, of how many; and what the service does in the first that has not."""

    finished: int
    total: int
    stage: str = ""

    @property
    def is_done(self) -> bool:
        return self.finished == self.total


@dataclass(frozen=True)
class ProcessResult:
    """The memories that are new."""

    memory_ids: tuple[UUID, ...]


OnProgress = Callable[[ProcessProgress], None]


@dataclass(frozen=True)
class Processing:
    """The operations to see through. What completes is taken from `pending`; what fails stays, for the next time."""

    operation_ids: tuple[UUID, ...]
    pending: list[UUID]
    retry: RetryPolicy

    def look(self) -> Plan[ProcessProgress]:
        finished, stage = 0, ""
        for operation_id in self.operation_ids:
            operation = yield from perform(get_operation(operation_id), self.retry)
            finished += operation.is_finished
            stage = stage or ("" if operation.is_finished else operation.progress.stage or operation.status)
        return ProcessProgress(finished, len(self.operation_ids), stage)

    def complete(self, timeout: float | None, on_progress: OnProgress | None) -> Plan[ProcessResult]:
        """One that fails keeps no other from being waited for; the first failure is raised after the last."""
        end = None if timeout is None else time.monotonic() + timeout
        made: list[UUID] = []
        failures: list[OperationNotCompleted] = []
        for place, operation_id in enumerate(self.operation_ids):
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                operation = yield from self._see_through(operation_id, left, self._teller(place, on_progress))
            except OperationNotCompleted as failure:
                failures.append(failure)
                continue
            except WaitTimedOut as late:
                raise WaitTimedOut(late.operation, timeout or 0.0) from late
            made += [UUID(one) for one in (operation.result or {}).get("unit_ids", [])]
            self._settle(operation_id)
        if failures:
            raise failures[0]
        return ProcessResult(tuple(made))

    def _see_through(
        self, operation_id: UUID, timeout: float | None, tell: Callable[[OperationDetail], None] | None
    ) -> Plan[OperationDetail]:
        """What failed before is tried again: its messages are archived, only their facts are missing."""
        operation = yield from perform(get_operation(operation_id), self.retry)
        if operation.is_finished and operation.status != "completed":
            yield from perform(retry_operation(operation_id), self.retry)
        return (yield from wait_for(get_operation(operation_id), self.retry, timeout=timeout, on_progress=tell))

    def _teller(self, place: int, on_progress: OnProgress | None) -> Callable[[OperationDetail], None] | None:
        if on_progress is None:
            return None
        total = len(self.operation_ids)
        return lambda operation: on_progress(
            ProcessProgress(place + operation.is_finished, total, operation.progress.stage or operation.status)
        )

    def _settle(self, operation_id: UUID) -> None:
        if operation_id in self.pending:
            self.pending.remove(operation_id)
