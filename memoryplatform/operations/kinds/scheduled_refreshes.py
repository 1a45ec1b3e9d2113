"""Keeps the schedules of a bank's mental models. There is one such operation per bank, due at the earliest moment."""

from typing import Any

from memoryplatform.operations.mental_models import keep_schedules
from memoryplatform.operations.running.kind_names import SCHEDULED_REFRESHES
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank


# Without this operation the schedules would stand still, so it can't be cancelled.
@operation_kind(SCHEDULED_REFRESHES, queue="background", cancellable=False)
@ends_with_its_bank
def refresh_scheduled_models(run: Run) -> dict[str, Any]:
    bank = load_bank(run)
    with run.transaction() as operation:
        result = keep_schedules(bank)
        run.complete(operation, result)
    return result
