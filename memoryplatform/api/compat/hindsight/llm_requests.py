"""`/llm-requests` of a bank: the tenant's log of requests to language models, if it is on."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Sum
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.authentication import ApiKeyAuthentication
from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.compat.hindsight.audit_logs import PERIODS
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.account import ADMIN, AccountView
from memoryplatform.api.v1.fields import TimeField
from memoryplatform.operations.account import llm_log
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.models import LLMRequest

# Hindsight's operations with our tasks.
OPERATIONS = {"retain": "extract", "consolidation": "observe", "reflect": "reflect"}
NAMES = {task: name for name, task in OPERATIONS.items()}


class RequestListInput(hindsight_view.OffsetInput):
    operation = serializers.CharField(max_length=50, required=False, default="", allow_blank=True)
    status = serializers.ChoiceField(choices=["success", "error"], required=False)
    start_date = TimeField(required=False, default=None)
    end_date = TimeField(required=False, default=None)


class HindsightLLMRequestsView(hindsight_view.HindsightView, AccountView):
    authentication_classes = (ApiKeyAuthentication,)  # type: ignore[assignment]  # not for the dashboard's sessions
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> object:
        """Without prompts and answers. Empty while the log is off."""
        wanted = hindsight_view.read_query(RequestListInput, request)
        task = OPERATIONS.get(wanted["operation"], wanted["operation"])
        span = {"since": wanted["start_date"], "until": wanted["end_date"]}
        with bank_transaction(self.access, bank_id):
            rows = llm_log.find_requests(self.caller, llm_log.RequestFilter(task=task, bank_id=bank_id, **span))
            if "status" in wanted:
                is_good = wanted["status"] == "success"
                rows = rows.filter(outcome=LLMRequest.OK) if is_good else rows.exclude(outcome=LLMRequest.OK)
            items = [describe_request(one) for one in hindsight_view.cut_page(rows.order_by("-id"), wanted)]
            return {"bank_id": bank_id, **hindsight_view.describe_page(items, rows.count(), wanted)}


class RequestStatsInput(Input):
    operation = serializers.CharField(max_length=50, required=False, default="", allow_blank=True)
    call_type = serializers.ChoiceField(choices=["llm", "embedding", "rerank", "decision"], required=False)
    period = serializers.ChoiceField(choices=sorted(PERIODS), default="7d")


class HindsightLLMRequestStatsView(hindsight_view.HindsightView, AccountView):
    authentication_classes = (ApiKeyAuthentication,)  # type: ignore[assignment]  # as above
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> object:
        """The log has requests to language models alone: no embeddings, reranking or decisions."""
        wanted = hindsight_view.read_query(RequestStatsInput, request)
        days, width, cut = PERIODS[wanted["period"]]
        start = timezone.now() - timedelta(days=days)
        task = OPERATIONS.get(wanted["operation"], wanted["operation"])
        with bank_transaction(self.access, bank_id):
            rows = llm_log.find_requests(self.caller, llm_log.RequestFilter(task=task, bank_id=bank_id, since=start))
            if wanted.get("call_type", "llm") != "llm":
                rows = rows.none()
            counted = rows.defer(None).annotate(bar=cut("created_at")).values("bar", "outcome").order_by("bar")
            sums = {"input_sum": Sum("input_tokens"), "output_sum": Sum("output_tokens")}
            counts = [dict(one) for one in counted.annotate(count=Count("*"), **sums)]
        fields = {"bank_id": bank_id, "period": wanted["period"], "trunc": width, "start": start.isoformat()}
        return {**fields, "buckets": build_buckets(counts)}


def build_buckets(counts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One for each hour or day that has requests. Each failure of a request counts as an error."""
    bars: defaultdict[datetime, list[dict[str, Any]]] = defaultdict(list)
    for one in counts:
        bars[one["bar"]].append(one)
    return [build_bucket(bar, rows) for bar, rows in bars.items()]


def build_bucket(bar: datetime, rows: list[dict[str, Any]]) -> dict[str, Any]:
    total = sum(one["count"] for one in rows)
    good = sum(one["count"] for one in rows if one["outcome"] == LLMRequest.OK)
    read, written = (sum(one[name] for one in rows) for name in ("input_sum", "output_sum"))
    statuses = {"success": good, "error": total - good}
    return {
        "time": bar.isoformat(),
        "statuses": {name: count for name, count in statuses.items() if count},
        "total": total,
        "tokens": {"input": read, "output": written, "cached": 0, "thoughts": None, "total": read + written},
    }


def describe_request(one: LLMRequest) -> dict[str, Any]:
    """Traces, spans and cached tokens are not recorded here."""
    is_good = one.outcome == LLMRequest.OK
    tokens = {"input_tokens": one.input_tokens, "output_tokens": one.output_tokens}
    return {
        "id": str(one.id),
        "bank_id": one.bank_key or None,
        "operation": NAMES.get(one.task, one.task),
        "scope": one.task,
        "trace_id": one.operation_id and str(one.operation_id),
        "span_id": None,
        "parent_span_id": None,
        "provider": one.service,
        "model": one.model,
        "status": "success" if is_good else "error",
        "started_at": one.created_at - timedelta(milliseconds=one.milliseconds),
        "ended_at": one.created_at,
        "duration_ms": one.milliseconds,
        **tokens,
        "cached_tokens": None,
        "thoughts_tokens": None,
        "total_tokens": one.input_tokens + one.output_tokens,
        "input": None,
        "output": None,
        "error": None if is_good else one.outcome,
        "llm_info": None,
        "metadata": None,
    }
