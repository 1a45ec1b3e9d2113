"""The limits of a tenant's plan, kept for half a minute for the checks that every request makes."""

import time
from dataclasses import dataclass, field, fields
from uuid import UUID

from django.db import connection

from tenants.models import Quota
from tenants.transactions import tenant_transaction

SECONDS_CACHED = 30.0
MOST_CACHED = 10_000  # tenants


@dataclass(frozen=True)
class PlanLimits:
    """None does not limit."""

    plan: str = ""
    requests_per_minute: int | None = None
    memories: int | None = None
    banks: int | None = None
    stored_bytes: int | None = None
    llm_tokens_per_month: int | None = None
    members: int | None = None
    read_at: float = field(default_factory=time.monotonic, compare=False)

    def find(self, quota: str) -> int | None:
        limit: int | None = getattr(self, quota)
        return limit

    @property
    def limited(self) -> dict[str, int]:
        found = {quota: self.find(quota) for quota in Quota.values}
        return {quota: limit for quota, limit in found.items() if limit is not None}


COLUMNS = ", ".join(one.name for one in fields(PlanLimits) if one.name != "read_at")
_cached: dict[UUID, PlanLimits] = {}


def find_limits(tenant_id: UUID) -> PlanLimits:
    """The limits of the last half minute, for checks that every request makes. A known tenant takes no query."""
    known = _cached.get(tenant_id)
    if known and time.monotonic() - known.read_at < SECONDS_CACHED:
        return known
    with tenant_transaction(tenant_id):
        limits = read_limits(tenant_id)
    if len(_cached) >= MOST_CACHED:
        _cached.clear()
    _cached[tenant_id] = limits
    return limits


def forget_limits() -> None:
    """For a change in this process. Other processes see it within `SECONDS_CACHED`."""
    _cached.clear()


def read_limits(tenant_id: UUID) -> PlanLimits:
    """The present limits. Call inside a tenant transaction."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM limits_of_tenant(%s)", [tenant_id])  # noqa: S608  # our own names
        row = cursor.fetchone()
    return PlanLimits(*row) if row else PlanLimits()
