"""`/stats` and `/stats/memories-timeseries`: how much a bank holds, and since when."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max
from django.db.models.functions import Coalesce, TruncDay, TruncHour, TruncMinute
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, Document, Link, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.words import Network
from memoryplatform.api.compat.hindsight.fact_types import KNOWN
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.serializers import Input
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.models import Operation
from reflection.models import ObservedEntity
from tenants.transactions import tenant_transaction

STEPS = {
    "minute": (TruncMinute, timedelta(minutes=1)),
    "hour": (TruncHour, timedelta(hours=1)),
    "day": (TruncDay, timedelta(days=1)),
}
# period: (its step, how many of them)
PERIODS = {
    "1h": ("minute", 60),
    "12h": ("hour", 12),
    "1d": ("hour", 24),
    "7d": ("day", 7),
    "30d": ("day", 30),
    "90d": ("day", 90),
}
EVENT_TIMES = ("mentioned_at", "occurred_start")
UNFINISHED = (Operation.Status.PENDING, Operation.Status.PROCESSING)


class PeerStatsView(PeerView):
    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            return Response({"bank_id": bank_id, **count_units(bank), **count_links(bank), **count_work(bank)})


def known_units(bank: Bank) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).current().filter(network__in=KNOWN)


def count_units(bank: Bank) -> dict[str, Any]:
    rows = known_units(bank).order_by().values("network").annotate(count=Count("*"), newest=Max("recorded_at"))
    found = {row["network"]: row for row in rows}
    counts = {network: row["count"] for network, row in found.items()}
    observations = found.get(Network.OBSERVATION.value, {"count": 0, "newest": None})
    opinions = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.OPINION)
    return {
        "total_nodes": sum(counts.values()),
        "nodes_by_fact_type": counts,
        "total_observations": observations["count"],
        "last_consolidated_at": observations["newest"],
        "last_memory_write_at": max((row["newest"] for row in found.values()), default=None),
        "total_documents": Document.objects.of_bank(bank).count(),
        "total_opinions": opinions.count(),
    }


def count_links(bank: Bank) -> dict[str, Any]:
    """Stored links only: neighbours by entity and by time are derived here."""
    rows = Link.objects.for_tenant(bank.tenant_id).filter(source__bank=bank, source__network__in=KNOWN)
    counted = rows.order_by().values_list("source__network", "type").annotate(count=Count("*"))
    by_type: defaultdict[str, int] = defaultdict(int)
    breakdown: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for network, link_type, count in counted:
        by_type[link_type] += count
        breakdown[network][link_type] = count
    return {
        "total_links": sum(by_type.values()),
        "links_by_link_type": by_type,
        "links_by_fact_type": {network: sum(found.values()) for network, found in breakdown.items()},
        "links_breakdown": breakdown,
    }


def count_work(bank: Bank) -> dict[str, Any]:
    operations = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank).order_by()
    by_status = dict(operations.values_list("status").annotate(count=Count("*")))
    return {
        "pending_operations": sum(by_status.get(status, 0) for status in UNFINISHED),
        "failed_operations": by_status.get(Operation.Status.FAILED, 0),
        "operations_by_status": by_status,
        "pending_consolidation": ObservedEntity.objects.of_bank(bank).stale().count(),
        "failed_consolidation": 0,
    }


class TimeseriesInput(Input):
    period = serializers.ChoiceField(choices=list(PERIODS), default="7d")
    time_field = serializers.ChoiceField(choices=["created_at", *EVENT_TIMES], default="created_at")


class PeerTimeseriesView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(TimeseriesInput, request)
        step, _ = PERIODS[wanted["period"]]
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            buckets = count_by_time(bank, now=timezone.now(), **wanted)
        return Response({"bank_id": bank_id, **wanted, "trunc": step, "buckets": buckets})


def count_by_time(bank: Bank, *, now: datetime, period: str, time_field: str) -> list[dict[str, Any]]:
    """Every step of the period, the empty ones too. Call inside a tenant transaction."""
    name, steps = PERIODS[period]
    cut, step = STEPS[name]
    last = cut_down(now, name)
    times = [last - step * back for back in reversed(range(steps))]
    moment = (
        Coalesce(time_field, "recorded_at") if time_field != "created_at" else Coalesce("recorded_at", "recorded_at")
    )
    units = known_units(bank).annotate(moment=moment).filter(moment__gte=times[0], moment__lt=last + step)
    rows = units.order_by().annotate(bucket=cut("moment")).values_list("bucket", "network").annotate(count=Count("*"))
    counts = {(bucket, network): count for bucket, network, count in rows}
    return [{"time": time, **{network: counts.get((time, network), 0) for network in KNOWN}} for time in times]


def cut_down(moment: datetime, step: str) -> datetime:
    rest = {"minute": {}, "hour": {"minute": 0}, "day": {"minute": 0, "hour": 0}}[step]
    return moment.replace(second=0, microsecond=0, **rest)  # type: ignore[arg-type]  # each of them is an int
