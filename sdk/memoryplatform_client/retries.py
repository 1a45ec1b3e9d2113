"""The failures that are retried, and the wait before each attempt."""

import random
from dataclasses import dataclass
from typing import Any

import httpx

from memoryplatform_client.calls import Call
from memoryplatform_client.errors import Refusal

NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
NEVER_BETTER = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)  # the request itself is at fault
FROM_BETWEEN = {502, 504}  # without a code of the service: a proxy lost the service for a moment


@dataclass(frozen=True)
class RetryPolicy:
    """`attempts` includes the first one. A `Retry-After` of more than `longest_wait` seconds ends the attempts."""

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def wait(self, attempt: int, asked_for: float | None) -> float | None:
        """Seconds to wait after `attempt`, which counts from 1. None where no further attempt follows.

        Half of the wait is random jitter, so that clients that failed together don't return together. The wait that
        the service asked for is never shortened.
        """
        if attempt >= self.attempts or (asked_for or 0.0) > self.longest_wait:
            return None
        grown = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        jittered = grown * random.uniform(0.5, 1.0)  # noqa: S311  # chance, not a secret
        return max(jittered, asked_for + jittered / 2) if asked_for is not None else jittered


def is_worth_another(call: Call[Any], failure: httpx.RequestError | Refusal) -> bool:
    """A request that the service may already have performed is repeated only if it is idempotent."""
    if isinstance(failure, httpx.RequestError):
        return not isinstance(failure, NEVER_BETTER) and (call.repeatable or isinstance(failure, NEVER_SENT))
    if failure.status_code == httpx.codes.TOO_MANY_REQUESTS:
        return True
    if failure.status_code == httpx.codes.SERVICE_UNAVAILABLE or failure.code == "request_in_flight":
        return call.repeatable
    return call.repeatable and failure.status_code in FROM_BETWEEN and not failure.code
