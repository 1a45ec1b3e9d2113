"""What is to be done step by step, without saying how: one plan serves the synchronous and the asynchronous client.

A plan is a generator. It yields a call to send or a pause to make, and gets back what came of it.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import httpx

from memoryplatform_client.calls import Call
from memoryplatform_client.errors import ConnectionFailed, RequestTimedOut
from memoryplatform_client.refusals import build_error, read_refusal
from memoryplatform_client.retries import RetryPolicy, is_worth_another

T = TypeVar("T")


@dataclass(frozen=True)
class Pause:
    seconds: float


Step: TypeAlias = Call[Any] | Pause
Outcome: TypeAlias = httpx.Response | httpx.TransportError | None  # None after a pause
Plan: TypeAlias = Generator[Step, Outcome, T]


def perform(call: Call[T], retry: RetryPolicy) -> Plan[T]:
    attempt = 1
    while True:
        outcome = yield call
        if isinstance(outcome, httpx.Response) and outcome.is_success:
            return call.parse(outcome)
        failure = read_refusal(outcome) if isinstance(outcome, httpx.Response) else outcome
        if failure is None:
            raise TypeError("A call was answered like a pause.")
        asked_for = None if isinstance(failure, httpx.TransportError) else failure.retry_after
        seconds = retry.wait(attempt, asked_for) if is_worth_another(call, failure) else None
        if seconds is None:
            raise build_error(failure) if not isinstance(failure, httpx.TransportError) else no_answer(call, failure)
        yield Pause(seconds)
        attempt += 1


def no_answer(call: Call[Any], failure: httpx.TransportError) -> ConnectionFailed:
    kind = RequestTimedOut if isinstance(failure, httpx.TimeoutException) else ConnectionFailed
    cause = tellable(failure)
    told = "" if cause is None else str(cause)
    error = kind(f"{call.method} {address_of(call, failure)}: {told or type(failure).__name__}")
    error.__cause__ = cause
    return error


def address_of(call: Call[Any], failure: httpx.TransportError) -> str:
    """With the service's own, which is what is wrong most often."""
    try:
        url = failure.request.url
    except RuntimeError:  # it belongs to no request
        return call.path
    return without_credentials(url.copy_with(query=None))


def without_credentials(url: httpx.URL) -> str:
    return str(url.copy_with(userinfo=b""))


def tellable(failure: httpx.TransportError) -> httpx.TransportError | None:
    """None for what shows a header in its words, and with that perhaps the key."""
    return None if isinstance(failure, httpx.LocalProtocolError) else failure
