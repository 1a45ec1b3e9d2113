from collections.abc import Callable
from typing import Unpack

from memoryplatform_client.calls import Call, reader, submit
from memoryplatform_client.identifiers import Id
from memoryplatform_client.limits import within
from memoryplatform_client.models.operations import Operation, OperationDetail
from memoryplatform_client.options.lists import OperationFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.plans import Plan
from memoryplatform_client.routes import Resource, S_co, listed, planned, route
from memoryplatform_client.waiting import LONGEST, get_operation, wait_for
from memoryplatform_client.wire import path_of


def retry_operation(operation_id: Id, key: str | None = None) -> Call[Operation]:
    return submit(path_of("operations", operation_id, "retry"), reader(Operation), {"idempotency_key": key})


class Operations(Resource[S_co]):
    @route
    def get(self, operation_id: Id) -> Call[OperationDetail]:
        return get_operation(operation_id)

    @listed
    def list(self, **wanted: Unpack[OperationFilter]) -> Listing[Operation]:
        return list_of("/operations", Operation, wanted, rows="operations")

    @route
    def cancel(self, operation_id: Id, *, idempotency_key: str | None = None) -> Call[Operation]:
        path = path_of("operations", operation_id, "cancel")
        return submit(path, reader(Operation), {"idempotency_key": idempotency_key})

    @route
    def retry(self, operation_id: Id, *, idempotency_key: str | None = None) -> Call[Operation]:
        return retry_operation(operation_id, idempotency_key)

    @planned
    def wait(
        self,
        operation_id: Id,
        *,
        timeout: float | None = LONGEST,
        on_progress: Callable[[OperationDetail], None] | None = None,
    ) -> Plan[OperationDetail]:
        """Wait until the operation is completed.

        `on_progress` is called at every change; neither client awaits it. Raises OperationNotCompleted if the
        operation failed or was cancelled, and WaitTimedOut after `timeout` seconds.
        """
        return wait_for(operation_id, self._sender.retry, within(timeout), on_progress=on_progress)
