"""Work on a bank that is deleted meanwhile ends with the bank, as work does that begins after that: it is no error."""

from functools import wraps
from typing import Any

import structlog

from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.registry import Handler
from memoryplatform.operations.running.run import Run

log = structlog.get_logger(__name__)


def ends_with_its_bank(handler: Handler) -> Handler:
    """Whatever fails once the bank is gone fails for that, be it a row that can't point at it or a bank that is not
    found, and trying again can't help. For handlers that have nothing to do without their bank.
    """

    @wraps(handler)
    def handle(run: Run) -> dict[str, Any]:
        try:
            return handler(run)
        except OperationError:
            raise
        except Exception as error:
            try:
                load_bank(run)
            except OperationError:
                log.info("operation.bank_deleted", failed_with=type(error).__name__)
                raise
            raise

    return handle
