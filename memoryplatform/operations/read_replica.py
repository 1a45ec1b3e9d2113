"""The choice between the primary database and its streaming replica, for recalls.

A recall reads the replica if it has replayed the write-ahead log far enough: up to the last write of the caller's API
key, up to the `min_lsn` of the request, and up to a place that the primary had reached DATABASE_REPLICA_MAX_LAG_SECONDS
ago. Redis holds the last write of each key for all processes. In any doubt the primary answers.
"""

import re
import time
from dataclasses import dataclass, field
from threading import Lock
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from redis.backoff import NoBackoff
from redis.retry import Retry

from memoryplatform.operations.access import BankAccess
from providers.once import Once
from tenants.roles import WallIsOpen, check_service_role

log = structlog.get_logger(__name__)
LSN = re.compile(r"^[0-9A-F]{1,8}/[0-9A-F]{1,8}$")
PAUSE_SECONDS = 10.0  # without a try after a failure
ANSWER_SECONDS = 0.25  # the longest that a request waits for Redis
KEPT_SECONDS = 24 * 3600  # no replica that recall reads is so far behind
PLACE = "place"


def parse_lsn(text: str) -> int:
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def write_lsn(lsn: int) -> str:
    return f"{lsn >> 32:X}/{lsn % 2**32:X}"


@dataclass(eq=False)
class PrimaryPlaces:
    """Places in the log of the primary, sampled by this process, each with its time."""

    sampled: list[tuple[float, int]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def find_required(self, max_lag: float, now: float) -> int:
        """The newest place of at least half the lag ago, so that a replica has time to reach it. After a pause there is
        none that is young enough: then the present place.
        """
        with self.lock:
            if not self.sampled or now - self.sampled[-1][0] >= max_lag / 2:
                self.sampled = [*self.sampled[-2:], (now, read_primary_lsn())]
            ripe = [lsn for at, lsn in self.sampled if max_lag / 2 <= now - at <= max_lag]
            return ripe[-1] if ripe else self.sampled[-1][1]


def read_primary_lsn() -> int:
    """The end of the log, beyond every commit that has returned."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def connect_redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


@dataclass(eq=False)
class Replica:
    alias: str = "replica"
    places: PrimaryPlaces = field(default_factory=PrimaryPlaces)
    paused_until: float = 0.0
    is_checked: bool = False
    redis: "Once[redis.Redis]" = field(default_factory=lambda: Once(connect_redis))

    @property
    def is_configured(self) -> bool:
        return self.alias in settings.DATABASES

    def pause(self) -> None:
        log.warning("replica.failed", pause_seconds=PAUSE_SECONDS)
        self.paused_until = time.monotonic() + PAUSE_SECONDS

    def is_fresh(self, access: BankAccess, min_lsn: int) -> bool:
        now = time.monotonic()
        if not self.is_configured or now < self.paused_until or connections[DEFAULT_DB_ALIAS].in_atomic_block:
            return False
        try:
            written = self._read_write(access.tenant_id, access.actor.api_key_prefix)
            required = self.places.find_required(settings.DATABASE_REPLICA_MAX_LAG_SECONDS, now)
        except (redis.RedisError, DatabaseError):
            return False
        try:
            self._check_role()
            return self._read_replayed() >= max(min_lsn, written, required)
        except WallIsOpen:
            log.exception("replica.refused")
        except DatabaseError as error:
            log.warning("replica.not_read", exc_info=error)
        self.pause()
        return False

    def note_write(self, tenant_id: UUID, key_prefix: str) -> int | None:
        """Call after the commit of a write. Returns the place in the log; None without a replica."""
        if not self.is_configured:
            return None
        lsn, name = read_primary_lsn(), name_key(tenant_id, key_prefix)
        try:
            with self.redis.get().pipeline() as pipeline:
                pipeline.zadd(name, {PLACE: lsn}, gt=True)
                pipeline.expire(name, KEPT_SECONDS)
                pipeline.execute()
        except redis.RedisError:
            log.warning("replica.write_not_noted")
            self.pause()  # this process reads the primary; the others do too while Redis is away
        return lsn

    def _read_write(self, tenant_id: UUID, key_prefix: str) -> int:
        return int(self.redis.get().zscore(name_key(tenant_id, key_prefix), PLACE) or 0)

    def _check_role(self) -> None:
        """Row-level security protects tenants on the replica too, unless the role bypasses it."""
        if not self.is_checked:
            check_service_role(using=self.alias)
            self.is_checked = True

    def _read_replayed(self) -> int:
        """A promoted server is no replica any more: it has its own log."""
        with connections[self.alias].cursor() as cursor:
            cursor.execute("SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)")
            is_replica, replayed = cursor.fetchone()
        return int(replayed) if is_replica else -1


def name_key(tenant_id: UUID, key_prefix: str) -> str:
    return f"memoryplatform:lsn:{tenant_id}:{key_prefix}"


REPLICA = Replica()
