"""Operations that are waited for."""

import httpx
import pytest

from memoryplatform_client import MemoryClient, OperationNotCompleted, OperationNotFound, WaitTimedOut
from tests.sdk.scripted import Scripted, make_client

ID = "01932f0e-0000-7000-8000-000000000000"


def operation(status: str, processed: int = 0, **fields: object) -> httpx.Response:
    body: dict[str, object] = {
        "operation_id": ID,
        "kind": "retain",
        "status": status,
        "bank_id": "b",
        "progress": {"stage": "extracting", "processed": processed, "total": 2},
        "attempts": 1,
        "max_attempts": 5,
        "error": None,
        "next_attempt_at": None,
        "created_at": "2024-01-01T00:00:00Z",
        "started_at": None,
        "finished_at": None,
        "payload": {},
        "result": None,
    }
    return httpx.Response(200, json={**body, **fields})


def test_progress_is_told_once_a_change() -> None:
    steps = [("pending", 0), ("processing", 0), ("processing", 0), ("processing", 1), ("completed", 2)]
    transport = Scripted(*[operation(*step) for step in steps])
    told: list[tuple[str, int]] = []
    done = make_client(transport).operations.wait(
        ID, on_progress=lambda one: told.append((one.status, one.progress.processed))
    )
    assert told == [("pending", 0), ("processing", 0), ("processing", 1), ("completed", 2)]
    assert done.is_finished


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_an_operation_that_does_not_complete_is_an_error_with_its_reason(status: str) -> None:
    fault = {"code": "model_failed", "detail": "The model refused."}
    with pytest.raises(OperationNotCompleted, match=rf"{status}: The model refused\.") as caught:
        make_client(Scripted(operation(status, error=fault))).operations.wait(ID)
    assert caught.value.operation.status == status


def test_waiting_ends_in_time_and_the_operation_goes_on() -> None:
    with pytest.raises(WaitTimedOut, match=r"still processing after 0\.05 seconds"):
        make_client(Scripted(operation("processing"))).operations.wait(ID, timeout=0.05)


def test_one_that_waits_is_cancelled_and_retried(client: MemoryClient) -> None:
    accepted = client.retain("support", "Alice sails.", wait=False)
    assert client.operations.cancel(accepted.operation_id).status == "cancelled"
    with pytest.raises(OperationNotCompleted):
        client.operations.wait(accepted.operation_id)
    assert client.operations.retry(accepted.operation_id).status == "pending"
    assert [one.status for one in client.operations.list(kind="retain", bank_id="support")] == ["pending"]
    assert client.operations.get(accepted.operation_id).payload
    with pytest.raises(OperationNotFound):
        client.operations.get(ID)
