"""Polling an operation until it ends."""

from collections.abc import Callable

from memoryplatform_client.calls import Call, fetch, reader
from memoryplatform_client.errors import OperationNotCompleted, WaitTimedOut
from memoryplatform_client.identifiers import Id
from memoryplatform_client.limits import Limit
from memoryplatform_client.models.operations import OperationDetail
from memoryplatform_client.plans import Pause, Plan, TimeIsUp, perform
from memoryplatform_client.retries import RetryPolicy
from memoryplatform_client.wire import path_of

LONGEST = 600.0
FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 0.1, 2.0, 1.5  # a short operation is seen at once, a long one is polled rarely


def get_operation(operation_id: Id) -> Call[OperationDetail]:
    return fetch(path_of("operations", operation_id), reader(OperationDetail))


def wait_for(
    operation_id: Id,
    retry: RetryPolicy,
    limit: Limit,
    *,
    on_progress: Callable[[OperationDetail], None] | None,
) -> Plan[OperationDetail]:
    pause, operation = FIRST_PAUSE, None
    while True:
        before = operation
        try:
            operation = yield from perform(get_operation(operation_id), retry, limit)
        except TimeIsUp as end:
            raise WaitTimedOut(operation_id, limit.seconds, before) from end.__cause__
        if on_progress is not None and (before is None or has_moved(before, operation)):
            on_progress(operation)
        if operation.is_finished:
            return check_completed(operation)
        if not limit.left:
            raise WaitTimedOut(operation_id, limit.seconds, operation)
        yield Pause(min(pause, limit.left))
        pause = min(LONGEST_PAUSE, pause * GROWTH)


def has_moved(before: OperationDetail, now: OperationDetail) -> bool:
    return (now.status, now.progress, now.attempts) != (before.status, before.progress, before.attempts)


def check_completed(operation: OperationDetail) -> OperationDetail:
    if operation.status != "completed":
        raise OperationNotCompleted(operation)
    return operation
