"""Waiting for operations."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx
import pytest

from memoryplatform_client import (
    AsyncMemoryClient,
    MemoryClient,
    OperationNotCompleted,
    OperationNotFound,
    RequestTimedOut,
    RetryPolicy,
    Unavailable,
    WaitTimedOut,
    limits,
)
from memoryplatform_client.facade.processing import Processing
from tests.clock import holds_to_a_time
from tests.sdk.blocking import Blocking
from tests.sdk.scripted import RETAINED, Scripted, make_client, refuse

ID = "01932f0e-0000-7000-8000-000000000000"
ADDRESS = "http://service"
Server = Callable[[httpx.Request], httpx.Response]


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


def test_progress_is_reported_once_per_change() -> None:
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


@holds_to_a_time
def test_waiting_ends_in_time_and_the_operation_continues() -> None:
    with pytest.raises(WaitTimedOut, match=r"still processing after 0\.05 seconds"):
        make_client(Scripted(*[operation("processing")] * 2)).operations.wait(ID, timeout=0.05)


@holds_to_a_time
def test_an_operation_that_ends_at_the_timeout_is_still_seen() -> None:
    transport = Scripted(operation("processing"), operation("completed"))
    assert make_client(transport).operations.wait(ID, timeout=0.05).is_finished


def stay_silent(request: httpx.Request) -> httpx.Response:
    time.sleep(request.extensions["timeout"]["read"])
    raise httpx.ReadTimeout("slow", request=request)


def put_off(_request: httpx.Request) -> httpx.Response:
    return refuse(503, "unavailable", Retry_After="5")


def wait_inside_retain(client: MemoryClient) -> object:
    return client.retain("b", "Alice sails.", timeout=0.2)


def process(client: MemoryClient) -> object:
    return client.run(Processing((UUID(ID),), deque(), RetryPolicy()).complete(0.2, None))


WAITS: list[Callable[[MemoryClient], object]] = [
    lambda client: client.operations.wait(ID, timeout=0.2),
    wait_inside_retain,
    process,
]


@holds_to_a_time
@pytest.mark.parametrize("is_awaited", [False, True])
@pytest.mark.parametrize("wait", WAITS, ids=["wait", "retain", "process"])
@pytest.mark.parametrize("server", [stay_silent, put_off])
def test_a_service_that_does_not_answer_does_not_block_the_caller(
    monkeypatch: pytest.MonkeyPatch, server: Server, wait: Callable[[Any], object], *, is_awaited: bool
) -> None:
    monkeypatch.setattr(limits, "SHORTEST_REQUEST", 0.05)

    def answer(request: httpx.Request) -> httpx.Response:
        return server(request) if request.method == "GET" else httpx.Response(200, json=RETAINED)

    given: dict[str, Any] = {"timeout": 4.0, "transport": httpx.MockTransport(answer)}
    with (
        Blocking(AsyncMemoryClient(ADDRESS, "k", **given)) if is_awaited else MemoryClient(ADDRESS, "k", **given) as it
    ):
        began = time.monotonic()
        with pytest.raises(WaitTimedOut, match=r"could not be fetched after 0\.2 seconds") as caught:
            wait(it)
    assert 0.19 < time.monotonic() - began < 2
    assert (str(caught.value.operation_id), caught.value.operation) == (ID, None)
    assert isinstance(caught.value.__cause__, RequestTimedOut | Unavailable)


def test_a_waiting_operation_is_cancelled_and_retried(client: MemoryClient) -> None:
    accepted = client.retain("support", "Alice sails.", wait=False)
    assert client.operations.cancel(accepted.operation_id).status == "cancelled"
    with pytest.raises(OperationNotCompleted):
        client.operations.wait(accepted.operation_id)
    assert client.operations.retry(accepted.operation_id).status == "pending"
    assert [one.status for one in client.operations.list(kind="retain", bank_id="support")] == ["pending"]
    assert client.operations.get(accepted.operation_id).payload
    with pytest.raises(OperationNotFound):
        client.operations.get(ID)


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_a_retain_that_was_waited_for_has_the_usage_and_changes_of_its_operation(status: str) -> None:
    spent = {"input_tokens": 900, "output_tokens": 90, "calls": 3}
    change = {"memory_id": ID, "change": "ended", "superseded_by": None}
    result = {"changes": [change], "change_count": 1} if status == "completed" else None
    transport = Scripted(httpx.Response(202, json=RETAINED), operation(status, usage=spent, result=result))
    retained = make_client(transport).retain("b", "Ana lives in Lisbon.")
    assert retained.usage is not None
    assert retained.usage.model_dump() == spent
    assert [one.change for one in retained.changes] == (["ended"] if status == "completed" else [])
