"""The limits of an endpoint, and the waits between two attempts.

The openai package could retry too. It takes a quarter off the wait instead of spreading it, follows a Retry-After of up
to two minutes, and has no limit for all attempts together. So its retries are off.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2


@dataclass(frozen=True)
class RetryPolicy:
    max_retries: int
    first_seconds: float = 0.5
    longest_seconds: float = 30.0

    def find_wait(self, retry: int, asked: float | None) -> float | None:
        """Seconds to wait before retry number `retry` (from 0), or None for no retry.

        Full jitter (Brooker 2015): a random wait from 0 to the doubled ceiling, so that many clients do not come back
        together. A Retry-After is followed, with the first step's jitter on top. One beyond the longest wait is left
        to the caller, who can do other work meanwhile.
        """
        if retry >= self.max_retries:
            return None
        if asked is None:
            ceiling = min(self.longest_seconds, self.first_seconds * 2**retry)
            return random.uniform(0, ceiling)  # noqa: S311 - no secret hangs on it
        if asked > self.longest_seconds:
            return None
        return asked + random.uniform(0, self.first_seconds)  # noqa: S311 - no secret hangs on it


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After, which holds seconds or an HTTP date. Our clock gives the date of the answer."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        return parse_wait_until(value)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def parse_wait_until(value: str) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


@dataclass(frozen=True)
class EndpointConfig:
    """With a `transport` the endpoint is not the operator's: no proxy of the environment, no redirect."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    transport: httpx2.BaseTransport | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0
    max_retries: int = 3
    max_concurrency: int = 8
