"""Rate limits per API key and per tenant, as a DRF throttle that counts in Redis.

Each limit is a bucket that holds a minute's requests and refills evenly. Redis stores one number per bucket: the time
when it will be full again (GCRA). One script takes from both buckets or from none, so a refused request of a busy key
never uses up the limit of its tenant. Two of DRF's own throttles would count each for itself.
"""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import redis
import structlog
from django.conf import settings
from django.http import HttpRequest
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.retry import Retry
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from memoryplatform.observability.metrics import count_plan_request
from providers.once import Once
from tenants.keys import KeyIdentity
from tenants.plans import PlanLimits, find_limits

if TYPE_CHECKING:  # rest_framework.views may load this module while it is loaded itself
    from rest_framework.views import APIView

log = structlog.get_logger(__name__)
ALLOWANCE = "memoryplatform.allowance"  # the key in `request.META`
HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
ANSWER_SECONDS = 0.25  # the longest that a request waits for its count
PAUSE_SECONDS = 5.0  # without counting after Redis did not answer

# Times are milliseconds, because Redis truncates fractions of the numbers that it returns.
TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local full, answer, allowed = {}, {}, 1
for place, key in ipairs(KEYS) do
  local interval = 60000 / ARGV[place]
  full[place] = math.max(tonumber(redis.call('GET', key) or now), now) + interval
  local wait = full[place] - now - 60000
  if wait > 0.001 then
    allowed = 0
    full[place] = full[place] - interval
  end
  local left = math.max(0, math.floor((now + 60000 - full[place]) / interval + 0.001))
  table.insert(answer, {left, math.ceil(full[place] - now), math.max(0, math.ceil(wait))})
end
if allowed == 1 then
  for place, key in ipairs(KEYS) do
    redis.call('SET', key, string.format('%.3f', full[place]), 'PX', math.ceil(full[place] - now))
  end
end
return answer
"""


@dataclass(frozen=True)
class Allowance:
    """The rest of a limit. `wait_seconds` is zero for a request that may pass."""

    limit: int
    remaining: int
    reset_seconds: int
    wait_seconds: int


class RateLimited(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "rate_limited"

    def __init__(self, request: Request) -> None:
        """Precondition: the throttle has refused the request."""
        allowance: Allowance = request.META[ALLOWANCE]
        self.wait = allowance.wait_seconds
        super().__init__(f"More than {allowance.limit} requests a minute: try again in {self.wait} s.")


def load_script() -> Script:
    """One attempt with a short timeout: an uncounted request is better than a late one."""
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return client.register_script(TAKE)


class RateCounter:
    """While Redis is away nothing is counted and nothing is refused."""

    def __init__(self) -> None:
        self._take = Once(load_script)
        self._silent_until = 0.0

    def take(self, buckets: Mapping[str, int]) -> Allowance | None:
        """The scarcest allowance of the buckets, which have limits a minute; None without a limit or without Redis."""
        if not buckets or time.monotonic() < self._silent_until:
            return None
        limits = list(buckets.values())
        try:
            rows = self._take.get()(keys=list(buckets), args=limits)
        except redis.RedisError:
            self._silent_until = time.monotonic() + PAUSE_SECONDS
            log.warning("rate_limit.not_counted", exc_info=True)
            return None
        allowances = [
            Allowance(limit, remaining, math.ceil(reset / 1000), math.ceil(wait / 1000))
            for limit, (remaining, reset, wait) in zip(limits, cast("list[list[int]]", rows), strict=True)
        ]
        return min(allowances, key=lambda one: (-one.wait_seconds, one.remaining))


COUNTER = RateCounter()


class KeyAndTenantThrottle(BaseThrottle):
    """Counts a request for its key and its tenant, and leaves the allowance in `request.META`, for the headers."""

    def allow_request(self, request: Request, view: "APIView | None" = None) -> bool:  # DRF's signature
        identity = cast("KeyIdentity", request.auth)
        limits = find_limits(identity.tenant_id)
        allowance = COUNTER.take(list_buckets(identity, limits))
        request.META[ALLOWANCE] = allowance
        is_allowed = allowance is None or not allowance.wait_seconds
        count_plan_request(limits.plan, "passed" if is_allowed else "rate_limited")
        return is_allowed


def list_buckets(identity: KeyIdentity, limits: PlanLimits) -> dict[str, int]:
    """The plan's limit replaces the setting's. The braces keep both buckets in one slot of a Redis cluster."""
    tenant = f"memoryplatform:rate:{{{identity.tenant_id}}}"
    of_tenant = limits.requests_per_minute or settings.RATE_LIMIT_PER_TENANT
    buckets = {f"{tenant}:{identity.id}": settings.RATE_LIMIT_PER_KEY, tenant: of_tenant}
    return {name: limit for name, limit in buckets.items() if limit}


def write_rate_headers(request: Request | HttpRequest, *, headers: Sequence[str] = HEADERS) -> dict[str, str]:
    """Empty for a request that was not counted."""
    allowance: Allowance | None = request.META.get(ALLOWANCE)
    if allowance is None:
        return {}
    figures = (allowance.limit, allowance.remaining, allowance.reset_seconds)
    return dict(zip(headers, map(str, figures), strict=True))
