"""`/v1/account/usage` and `/v1/account/plan`: usage and cost of the tenant, and the limits of its plan."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from memoryplatform.api.json_format import FastJSONRenderer, write_json
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.account import READ, AccountView
from memoryplatform.operations.account.usage import (
    USUAL_DAYS,
    PlanReport,
    UsageReport,
    UsageRequest,
    describe_row,
    list_table,
    report_plan,
    report_usage,
)
from tenants.models import Quota
from tenants.usage import DIMENSIONS

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class CsvRenderer(BaseRenderer):
    """Rows as CSV. An error is JSON, as everywhere."""

    media_type, format, charset = "text/csv", "csv", "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return write_json(data) if isinstance(data, Mapping) else write_csv(data)


def write_csv(rows: Iterable[Sequence[object]]) -> bytes:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    text = io.StringIO()
    writer = csv.writer(text)
    for row in rows:
        values = [str(value) for value in row]
        writer.writerow([f"'{value}" if value.startswith(FORMULA_STARTS) else value for value in values])
    return text.getvalue().encode()


class UsageInput(Input):
    since = serializers.DateField(
        required=False, help_text=f"The first day, in UTC. Default: {USUAL_DAYS} days up to `until`."
    )
    until = serializers.DateField(required=False, help_text="The last day, in UTC. Default: today.")
    group_by = serializers.ListField(
        child=serializers.ChoiceField(choices=list(DIMENSIONS)),
        default=["day"],
        max_length=len(DIMENSIONS),
        help_text="A row for each value of these; repeat it for several.",
    )
    format = serializers.ChoiceField(
        choices=["json", "csv"], required=False, help_text="csv is the same as `Accept: text/csv`."
    )


class UsageAmountsOutput(Output):
    requests = serializers.IntegerField(help_text="Requests and background operations in the ledger.")
    calls = serializers.IntegerField(help_text="Calls of models.")
    llm_input_tokens = serializers.IntegerField()
    llm_output_tokens = serializers.IntegerField()
    own_llm_tokens = serializers.IntegerField(help_text="Of the tenant's own language model, which costs nothing here.")
    embedding_tokens = serializers.IntegerField()
    reranking_tokens = serializers.IntegerField()
    memories = serializers.IntegerField(help_text="Memories that were stored.")
    stored_bytes = serializers.IntegerField(help_text="Bytes of text that were sent to be retained.")
    cost = serializers.DecimalField(max_digits=20, decimal_places=6, help_text="By the operator's prices, as a text.")


class UsageRowOutput(UsageAmountsOutput):
    day = serializers.DateField(required=False)
    bank = serializers.CharField(required=False, help_text="Empty for a request on no bank, or on several.")
    key = serializers.CharField(
        required=False, help_text="The prefix of the API key; empty for the service's own work."
    )
    kind = serializers.CharField(required=False, help_text="retain, recall, reflect or consolidate.")
    model = serializers.CharField(required=False, help_text="Empty for the amounts that no model has.")


class StoredDayOutput(Output):
    day = serializers.DateField()
    memories = serializers.IntegerField()
    stored_bytes = serializers.IntegerField()


class UsageReportOutput(Output):
    since = serializers.DateField()
    until = serializers.DateField()
    currency = serializers.CharField()
    rows = UsageRowOutput(many=True)
    total = UsageAmountsOutput()
    unpriced_models = serializers.ListField(
        child=serializers.CharField(), help_text="Models without a price: their tokens are not in the cost."
    )
    storage = StoredDayOutput(
        many=True, help_text="Facts and bytes that are stored, at the end of each day on which they changed."
    )

    def to_representation(self, instance: UsageReport) -> dict[str, Any]:
        asked = instance.request
        return {
            "since": asked.since,
            "until": asked.until,
            "currency": instance.currency,
            "rows": [describe_row(asked, row) for row in instance.rows],
            "total": describe_row(UsageRequest(asked.since, asked.until, ()), instance.total),
            "unpriced_models": sorted(instance.total.unpriced),
            "storage": StoredDayOutput(instance.storage, many=True).data,
        }


class QuotaOutput(Output):
    quota = serializers.ChoiceField(choices=Quota.choices)
    limit = serializers.IntegerField(allow_null=True, help_text="Null: no limit.")
    used = serializers.IntegerField()
    percent = serializers.IntegerField(allow_null=True)


class PlanOutput(Output):
    plan = serializers.CharField()
    requests_per_minute = serializers.IntegerField(allow_null=True, help_text="Null: the service's own limit.")
    quotas = QuotaOutput(many=True)

    def to_representation(self, instance: PlanReport) -> dict[str, Any]:
        return {
            "plan": instance.limits.plan,
            "requests_per_minute": instance.limits.requests_per_minute,
            "quotas": QuotaOutput(instance.quotas, many=True).data,
        }


class UsageView(AccountView):
    scopes = READ
    renderer_classes = (FastJSONRenderer, CsvRenderer)

    @route("get_usage", "Get usage and cost", UsageReportOutput, query=UsageInput)
    def get(self, wanted: dict[str, Any]) -> object:
        """One row for each group: by day, bank, API key, kind or model. Also as CSV."""
        asked = UsageRequest.build(wanted.get("since"), wanted.get("until"), wanted["group_by"])
        report = report_usage(self.caller, asked)
        if wanted.get("format") == "csv":
            self.request.accepted_renderer, self.request.accepted_media_type = CsvRenderer(), CsvRenderer.media_type
        if not isinstance(self.request.accepted_renderer, CsvRenderer):
            return report
        name = f"usage-{asked.since}-{asked.until}.csv"
        return Response(list_table(report), headers={"Content-Disposition": f'attachment; filename="{name}"'})


class PlanView(AccountView):
    scopes = READ

    @route("get_plan", "Get the plan: its limits and their use", PlanOutput)
    def get(self) -> object:
        return report_plan(self.caller)
