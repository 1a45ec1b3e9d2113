"""Waiting for an operation."""

import time
from collections.abc import Callable

from memoryplatform_client.calls import Call
from memoryplatform_client.errors import OperationNotCompleted, WaitTimedOut
from memoryplatform_client.models.operations import OperationDetail
from memoryplatform_client.plans import Pause, Plan, perform
from memoryplatform_client.retries import RetryPolicy

LONGEST = 600.0
FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 0.1, 2.0, 1.5  # quick for what is short, and easy on the service for the rest


def wait_for(
    call: Call[OperationDetail],
    retry: RetryPolicy,
    *,
    timeout: float | None,
    on_progress: Callable[[OperationDetail], None] | None,
) -> Plan[OperationDetail]:
    end = None if timeout is None else time.monotonic() + timeout
    pause, told = FIRST_PAUSE, None
    while True:
        operation = yield from perform(call, retry)
        seen = (operation.status, operation.progress, operation.attempts)
        if on_progress is not None and seen != told:
            on_progress(operation)
        told = seen
        if operation.is_finished:
            return check_completed(operation)
        if timeout is not None and end is not None and time.monotonic() + pause > end:
            raise WaitTimedOut(operation, timeout)
        yield Pause(pause)
        pause = min(LONGEST_PAUSE, pause * GROWTH)


def check_completed(operation: OperationDetail) -> OperationDetail:
    if operation.status != "completed":
        raise OperationNotCompleted(operation)
    return operation
