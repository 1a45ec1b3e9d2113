"""`/audit-logs`: a bank's audit log in Hindsight's shape. Request bodies and durations are not recorded."""

from collections import defaultdict
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.db.models.functions import TruncDay, TruncHour
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.serializers import Input
from memoryplatform.operations.audit_log import AuditFilter, find_events, get_event
from tenants.models import AuditEvent
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

ADMIN = {"GET": "admin"}
# Days, and the width of a bucket.
PERIODS = {"1d": (1, "hour", TruncHour), "7d": (7, "day", TruncDay), "30d": (30, "day", TruncDay)}


class AuditListInput(hindsight_view.OffsetInput):
    limit = serializers.IntegerField(min_value=1, max_value=500, default=50)
    action = serializers.CharField(required=False, max_length=60, default="", allow_blank=True)
    transport = serializers.CharField(required=False, default="", allow_blank=True)
    start_date = serializers.DateTimeField(required=False, default=None, allow_null=True)
    end_date = serializers.DateTimeField(required=False, default=None, allow_null=True)


class AuditStatsInput(Input):
    action = serializers.CharField(required=False, max_length=60, default="", allow_blank=True)
    period = serializers.ChoiceField(choices=sorted(PERIODS), default="7d")


class HindsightAuditLogsView(hindsight_view.HindsightView):
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(AuditListInput, request)
        sought = AuditFilter(action=wanted["action"], since=wanted["start_date"], until=wanted["end_date"])
        with tenant_transaction(self.tenant_id):
            rows = find_events(self.access, sought, bank_id=bank_id).order_by("-id")
            rows = filter_transport(rows, wanted["transport"])
            items = [describe_event(event, bank_id) for event in hindsight_view.cut_page(rows, wanted)]
            return {"bank_id": bank_id, **hindsight_view.describe_page(items, rows.count(), wanted)}


class HindsightAuditLogView(hindsight_view.HindsightView):
    scopes = ADMIN

    def get(self, _request: Request, bank_id: str, log_id: UUID) -> object:
        with tenant_transaction(self.tenant_id):
            event = get_event(self.access, log_id, bank_id=bank_id)
        return describe_event(event, bank_id) | {"request": None, "response": None}


class HindsightAuditStatsView(hindsight_view.HindsightView):
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(AuditStatsInput, request)
        days, width, cut = PERIODS[wanted["period"]]
        start = timezone.now() - timedelta(days=days)
        with tenant_transaction(self.tenant_id):
            rows = find_events(self.access, AuditFilter(action=wanted["action"], since=start), bank_id=bank_id)
            counted = rows.select_related(None).annotate(bar=cut("at")).values_list("bar", "action")
            counts = list(counted.annotate(count=Count("*")).order_by("bar", "action"))
        bars: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for bar, action, count in counts:
            bars[bar.isoformat()][action] = count
        buckets = [{"time": at, "actions": actions, "total": sum(actions.values())} for at, actions in bars.items()]
        fields = {"bank_id": bank_id, "period": wanted["period"], "trunc": width, "start": start.isoformat()}
        return {**fields, "buckets": buckets}


def filter_transport(rows: TenantQuerySet[AuditEvent], transport: str) -> TenantQuerySet[AuditEvent]:
    """A key means HTTP. Events without a key come from the service itself or from the admin."""
    if not transport:
        return rows
    keyed = rows.exclude(api_key_prefix="")
    return {"http": keyed, "system": rows.filter(api_key_prefix="")}.get(transport, rows.none())


def describe_event(event: AuditEvent, bank_id: str) -> dict[str, Any]:
    return {
        "id": str(event.id),
        "action": event.action,
        "transport": "http" if event.api_key_prefix else "system",
        "bank_id": bank_id,
        "started_at": event.at,
        "ended_at": event.at,
        "duration_ms": None,
        "metadata": {"target": event.target, "request_id": event.request_id, **event.detail},
    }
