"""Retried requests and their idempotency keys."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from memoryplatform_client import (
    AsyncMemoryClient,
    Conflict,
    ConnectionFailed,
    ModelFailed,
    RequestTimedOut,
    RetryPolicy,
    ServerError,
    Unavailable,
)
from memoryplatform_client.refusals import read_retry_after
from tests.sdk.scripted import QUICK, Answer, Attempt, Scripted, make_client, refuse

BROKEN = httpx.ReadError("reset")
DAMAGED = httpx.DecodingError("incorrect header check")
UNREACHED = httpx.ConnectError("refused")
TENDED = httpx.Response(202, json={"operation_id": "01932f0e-0000-7000-8000-000000000000"})
CONFIG = httpx.Response(200, json={"bank_id": "b", "config": {}, "overrides": {}})


def read(client: object) -> object:
    return client.banks.config("b")  # type: ignore[attr-defined]  # either client


def write(client: object) -> object:
    return client.banks.run_maintenance("b")  # type: ignore[attr-defined]


def patch(client: object) -> object:
    return client.banks.update_config("b", {"disposition_empathy": 5})  # type: ignore[attr-defined]


@pytest.mark.parametrize("failure", [BROKEN, DAMAGED, UNREACHED, httpx.ReadTimeout("slow"), refuse(503, "unavailable")])
@pytest.mark.parametrize(("attempt", "answer"), [(read, CONFIG), (write, TENDED)])
def test_an_idempotent_request_is_sent_again(failure: Answer, attempt: Attempt, answer: httpx.Response) -> None:
    transport = Scripted(failure, failure, answer)
    attempt(make_client(transport))
    assert len(transport.requests) == 3


def test_every_attempt_carries_the_same_key_and_another_call_another() -> None:
    transport = Scripted(BROKEN, refuse(409, "request_in_flight", Retry_After="0"), TENDED, TENDED)
    client = make_client(transport)
    write(client)
    write(client)
    first, second, third, other = transport.keys
    assert first == second == third is not None
    assert other not in {None, first}


def test_a_key_of_the_callers_own_is_sent() -> None:
    transport = Scripted(TENDED)
    make_client(transport).banks.run_maintenance("b", idempotency_key="mine")
    assert transport.keys == ["mine"]


@pytest.mark.parametrize(
    "failure", [BROKEN, DAMAGED, httpx.ReadTimeout("slow"), refuse(503, "unavailable"), refuse(502)]
)
def test_a_change_that_may_have_been_made_is_not_sent_again(failure: Answer) -> None:
    transport = Scripted(failure, CONFIG)
    with pytest.raises((ConnectionFailed, ServerError)):
        patch(make_client(transport))
    assert len(transport.requests) == 1


@pytest.mark.parametrize("failure", [UNREACHED, refuse(429, "throttled")])
def test_a_change_that_was_never_begun_is_sent_again(failure: Answer) -> None:
    transport = Scripted(failure, CONFIG)
    patch(make_client(transport))
    assert len(transport.requests) == 2


def test_a_model_that_failed_is_not_asked_again_but_a_proxy_is() -> None:
    with pytest.raises(ModelFailed):
        read(make_client(Scripted(refuse(502, "model_failed"), CONFIG)))
    read(make_client(Scripted(refuse(502), CONFIG)))


def test_a_conflict_is_final() -> None:
    transport = Scripted(refuse(409, "operation_state"))
    with pytest.raises(Conflict):
        write(make_client(transport))


def test_after_the_last_attempt_the_failure_is_raised() -> None:
    transport = Scripted(*[refuse(503, "unavailable")] * 3)
    with pytest.raises(Unavailable):
        read(make_client(transport))
    with pytest.raises(RequestTimedOut, match=r"GET http://[a-z.]+/v1/banks/b/config: slow"):
        read(make_client(Scripted(*[httpx.ReadTimeout("slow")] * 3)))


def test_the_service_is_given_the_time_that_it_asks_for() -> None:
    began = time.monotonic()
    read(make_client(Scripted(refuse(503, "unavailable", Retry_After="1"), CONFIG)))
    assert time.monotonic() - began >= 1


def test_more_time_than_the_policy_has_is_not_waited() -> None:
    transport = Scripted(refuse(429, "throttled", Retry_After="3600"), CONFIG)
    with pytest.raises(Exception, match="429 throttled") as caught:
        read(make_client(transport))
    assert caught.value.retry_after == 3600  # type: ignore[attr-defined]


def test_retry_after_may_be_a_date_and_may_be_nonsense() -> None:
    then = datetime.now(UTC) + timedelta(seconds=90)
    assert read_retry_after(format_datetime(then, usegmt=True)) == pytest.approx(90, abs=5)
    assert read_retry_after(format_datetime(then - timedelta(hours=1))) == 0
    assert read_retry_after("soon") is None
    assert read_retry_after(None) is None


def test_waits_grow_and_are_spread() -> None:
    policy = RetryPolicy(attempts=10, first_wait=1.0, longest_wait=8.0)
    for attempt, most in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 8.0)):
        waits = {policy.wait(attempt, None) or 0.0 for _ in range(50)}
        assert most / 2 <= min(waits) < max(waits) <= most
    assert policy.wait(10, None) is None


def test_the_asynchronous_client_retries_alike() -> None:
    async def ask() -> list[str | None]:
        transport = Scripted(BROKEN, refuse(503, "unavailable"), TENDED)
        async with AsyncMemoryClient("http://service", "mpk", transport=transport, retry=QUICK) as client:
            await client.banks.run_maintenance("b")
        return transport.keys

    keys = asyncio.run(ask())
    assert len(keys) == 3
    assert len(set(keys)) == 1
