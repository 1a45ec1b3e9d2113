"""Plans: sequences of requests and pauses that the synchronous and the asynchronous client share.

A plan is a generator. It yields a call to send or a pause to make. The sender returns the outcome into it.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import httpx

from memoryplatform_client.calls import Call
from memoryplatform_client.errors import ConnectionFailed, MemoryPlatformError, Refusal, RequestTimedOut
from memoryplatform_client.limits import FOREVER, Limit
from memoryplatform_client.refusals import build_error, read_refusal
from memoryplatform_client.retries import RetryPolicy, is_worth_another

T = TypeVar("T")


@dataclass(frozen=True)
class Pause:
    seconds: float


Step: TypeAlias = Call[Any] | Pause
Outcome: TypeAlias = httpx.Response | httpx.RequestError | None  # None after a pause
Plan: TypeAlias = Generator[Step, Outcome, T]


class TimeIsUp(Exception):
    """The request could be retried, but the time limit is over. `__cause__` is the failure of the last attempt."""


def perform(call: Call[T], retry: RetryPolicy, limit: Limit = FOREVER) -> Plan[T]:
    attempt = 1
    while True:
        outcome = yield replace(call, longest=limit.of_a_request)
        if isinstance(outcome, httpx.Response) and outcome.is_success:
            return call.parse(outcome)
        failure = read_refusal(outcome) if isinstance(outcome, httpx.Response) else outcome
        if failure is None:
            raise TypeError("A call was answered like a pause.")
        is_worth_it = is_worth_another(call, failure)
        seconds = retry.wait(attempt, asked_for(failure)) if is_worth_it else None
        if is_worth_it and (seconds or 0.0) >= limit.left:
            yield Pause(limit.left)
            raise TimeIsUp from tell(call, failure)
        if seconds is None:
            raise tell(call, failure)
        yield Pause(seconds)
        attempt += 1


def asked_for(failure: httpx.RequestError | Refusal) -> float | None:
    return failure.retry_after if isinstance(failure, Refusal) else None


def tell(call: Call[Any], failure: httpx.RequestError | Refusal) -> MemoryPlatformError:
    return build_error(failure) if isinstance(failure, Refusal) else no_answer(call, failure)


def no_answer(call: Call[Any], failure: httpx.RequestError) -> ConnectionFailed:
    kind = RequestTimedOut if isinstance(failure, httpx.TimeoutException) else ConnectionFailed
    cause = tellable(failure)
    told = "" if cause is None else str(cause)
    error = kind(f"{call.method} {address_of(call, failure)}: {told or type(failure).__name__}")
    error.__cause__ = cause
    return error


def address_of(call: Call[Any], failure: httpx.RequestError) -> str:
    """Includes the host, because a wrong host is the most frequent mistake."""
    try:
        url = failure.request.url
    except RuntimeError:  # it belongs to no request
        return call.path
    return without_credentials(url.copy_with(query=None))


def without_credentials(url: httpx.URL) -> str:
    return str(url.copy_with(userinfo=b""))


def tellable(failure: httpx.RequestError) -> httpx.RequestError | None:
    """None for a failure whose message shows a header, since that header may be the API key."""
    return None if isinstance(failure, httpx.LocalProtocolError) else failure
