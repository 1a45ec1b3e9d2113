"""Kinds of operations that leave countable traces. Registered in the tests' own processes only."""

import time
from typing import Any

from memoryplatform.operations.errors import PermanentFailure
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from tenants.audit import SYSTEM, record


@operation_kind("probe.steps", queue="background")
def take_steps(run: Run) -> dict[str, Any]:
    """Each step commits together with its progress, so that a worker resumes there after a crash."""
    total = run.payload["steps"]
    done = 0
    while done < total:
        time.sleep(run.payload.get("pause", 0.0))
        with run.transaction() as operation:
            done = operation.processed + 1
            operation.processed, operation.total, operation.stage = done, total, "stepping"
            operation.save()
            record(
                run.tenant_id,
                actor=SYSTEM,
                action="probe.step",
                target=str(done),
                detail={"attempt": run.attempt},
            )
    return {"steps": done}


@operation_kind("probe.fails", queue="background")
def fail(run: Run) -> dict[str, Any]:
    if run.attempt <= run.payload["times"]:
        raise ValueError("the text of a foreign error, which may hold anything")
    return {"attempt": run.attempt}


@operation_kind("probe.hopeless", queue="background")
def fail_for_good(_run: Run) -> dict[str, Any]:
    raise PermanentFailure("The input can't be read.", code="unreadable")


@operation_kind("probe.calls", queue="ingest")
def call_back(run: Run) -> dict[str, Any]:
    """Calls the function that a test registered, in the test's process."""
    return dict(CALLS[run.payload["call"]](run) or {})


CALLS: dict[str, Any] = {}
