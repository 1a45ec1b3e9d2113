"""Waiting until accepted messages have become memories."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from memoryplatform_client.errors import (
    Conflict,
    MemoryPlatformError,
    OperationNotCompleted,
    OperationNotFound,
    WaitTimedOut,
)
from memoryplatform_client.limits import Limit, within
from memoryplatform_client.models.operations import Operation, OperationDetail
from memoryplatform_client.plans import Plan, TimeIsUp, perform
from memoryplatform_client.resources.operations import retry_operation
from memoryplatform_client.retries import RetryPolicy
from memoryplatform_client.waiting import get_operation, wait_for


@dataclass(frozen=True)
class ProcessProgress:
    """The number of ended operations, their total, and the progress of the first one that is still running."""

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


# The bank was deleted, and its messages with it.
BEYOND_RETRY = {"bank_not_found"}


@dataclass(frozen=True)
class Processing:
    """The operations to wait for.

    A completed operation leaves `pending`, and so does one that no further attempt can complete. Any other failed
    operation stays for the next call of `process`.
    """

    operation_ids: tuple[UUID, ...]
    pending: deque[UUID]
    retry: RetryPolicy

    def look(self) -> Plan[ProcessProgress]:
        finished, stage = 0, ""
        for operation_id in self.operation_ids:
            try:
                operation = yield from perform(get_operation(operation_id), self.retry)
            except OperationNotFound:
                finished += 1
                continue
            finished += operation.is_finished
            stage = stage or ("" if operation.is_finished else operation.progress.stage or operation.status)
        return ProcessProgress(finished, len(self.operation_ids), stage)

    def complete(self, timeout: float | None, on_progress: OnProgress | None) -> Plan[ProcessResult]:
        """Wait for all operations, also after one failed. The first failure is raised at the end.

        The exception carries the ids of the new memories, because the next call does not report them again.
        """
        made: list[UUID] = []
        try:
            yield from self._complete_each(made, within(timeout), on_progress)
        except MemoryPlatformError as failure:
            failure.memory_ids = tuple(made)
            raise
        return ProcessResult(tuple(made))

    def _complete_each(self, made: list[UUID], limit: Limit, on_progress: OnProgress | None) -> Plan[None]:
        failures: list[OperationNotCompleted | OperationNotFound] = []
        for place, operation_id in enumerate(self.operation_ids):
            try:
                operation = yield from self._see_through(operation_id, limit, self._teller(place, on_progress))
            except (OperationNotCompleted, OperationNotFound) as failure:
                failures.append(failure)
                if isinstance(failure, OperationNotFound) or is_beyond_retry(failure.operation):
                    self._settle(operation_id)
                continue
            except TimeIsUp as end:
                raise WaitTimedOut(operation_id, limit.seconds, None) from end.__cause__
            made += [UUID(one) for one in (operation.result or {}).get("unit_ids", [])]
            self._settle(operation_id)
        if failures:
            first, *others = failures
            for other in others:
                first.add_note(str(other))
            raise first

    def _see_through(
        self, operation_id: UUID, limit: Limit, tell: Callable[[OperationDetail], None] | None
    ) -> Plan[OperationDetail]:
        """Retry an operation that failed earlier: its messages are archived, only their facts are missing.

        An operation that the service gives up for the second time leaves `pending`.
        """
        operation = yield from perform(get_operation(operation_id), self.retry, limit)
        if is_beyond_retry(operation):
            raise OperationNotCompleted(operation)
        has_failed = operation.is_finished and operation.status != "completed"
        if has_failed:
            yield from self._try_again(operation_id, limit)
        try:
            return (yield from wait_for(operation_id, self.retry, limit, on_progress=tell))
        except OperationNotCompleted as failure:
            if has_failed and was_given_up(failure.operation):
                self._settle(operation_id)
            raise

    def _try_again(self, operation_id: UUID, limit: Limit) -> Plan[None]:
        """A conflict means that another client has already retried the operation."""
        try:
            yield from perform(retry_operation(operation_id), self.retry, limit)
        except Conflict as refusal:
            if refusal.code != "operation_state":
                raise

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


def is_beyond_retry(operation: Operation) -> bool:
    return operation.is_finished and operation.error is not None and operation.error.code in BEYOND_RETRY


def was_given_up(operation: Operation) -> bool:
    """The operation failed with attempts left, so another attempt would not help."""
    return operation.status == "failed" and operation.attempts < operation.max_attempts
