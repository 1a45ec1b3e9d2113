"""How many requests an API key and its tenant have left: counted in Redis, both in one round trip.

A bucket holds a minute's requests and fills up evenly. What is stored is the moment when it will be full again (GCRA),
so that one number a bucket is enough and nothing is left of a caller who is quiet for a minute.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.retry import Retry

from providers.once import Once
from tenants.keys import KeyIdentity

log = structlog.get_logger(__name__)
ANSWER_SECONDS = 0.25  # the longest that a request waits for its count
PAUSE_SECONDS = 5.0  # for which a Redis that did not answer is not asked again

# A refused request is taken from no bucket. Times are milliseconds, because Redis cuts fractions off what it returns.
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
    """What is left of a limit. `wait_seconds` is zero where the request may pass."""

    limit: int
    remaining: int
    reset_seconds: int
    wait_seconds: int


@dataclass(frozen=True)
class Bucket:
    name: str
    per_minute: int


def load_script() -> Script:
    """One attempt and a short wait: a request would rather go uncounted than be late."""
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return client.register_script(TAKE)


class RateCounter:
    """Serves while Redis is away: then nothing is counted, and nobody is refused."""

    def __init__(self) -> None:
        self._take = Once(load_script)
        self._silent_until = 0.0

    def take(self, buckets: Sequence[Bucket]) -> Allowance | None:
        """The scarcer of the allowances, or None where there is no limit or nobody who counts."""
        if not buckets or time.monotonic() < self._silent_until:
            return None
        names, limits = [bucket.name for bucket in buckets], [bucket.per_minute for bucket in buckets]
        try:
            rows = self._take.get()(keys=names, args=limits)
        except redis.RedisError:
            self._silent_until = time.monotonic() + PAUSE_SECONDS
            log.warning("rate_limit.not_counted", exc_info=True)
            return None
        counted = zip(buckets, cast("list[list[int]]", rows), strict=True)
        return min(
            (describe(bucket, row) for bucket, row in counted), key=lambda one: (-one.wait_seconds, one.remaining)
        )


def describe(bucket: Bucket, row: Sequence[int]) -> Allowance:
    remaining, reset, wait = row
    return Allowance(bucket.per_minute, remaining, math.ceil(reset / 1000), math.ceil(wait / 1000))


def list_buckets(identity: KeyIdentity) -> list[Bucket]:
    """Braces keep both in one slot of a Redis cluster."""
    tenant = f"memoryplatform:rate:{{{identity.tenant_id}}}"
    buckets = (
        Bucket(f"{tenant}:{identity.id}", settings.RATE_LIMIT_PER_KEY),
        Bucket(tenant, settings.RATE_LIMIT_PER_TENANT),
    )
    return [bucket for bucket in buckets if bucket.per_minute]


COUNTER = RateCounter()
