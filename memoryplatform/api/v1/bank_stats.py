"""`/v1/banks/{bank_id}/stats`: how much a bank holds, and since when."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.banks.stats import PERIODS, STEPS, TIME_FIELDS, TimeBucket, count_bank, count_by_time
from tenants.transactions import tenant_transaction


class StatsOutput(Output):
    """Of current memories. Opinions are counted in `total_opinions` alone."""

    bank_id = serializers.CharField()
    total_nodes = serializers.IntegerField(source="units.total")
    total_links = serializers.IntegerField(source="links.total")
    total_documents = serializers.IntegerField(source="documents")
    total_observations = serializers.IntegerField(source="units.observations")
    total_opinions = serializers.IntegerField(source="units.opinions")
    nodes_by_fact_type = serializers.DictField(child=serializers.IntegerField(), source="units.by_network")
    links_by_link_type = serializers.DictField(
        child=serializers.IntegerField(),
        source="links.by_type",
        help_text="Stored links: neighbours by entity and by time are found when they are needed.",
    )
    links_by_fact_type = serializers.DictField(child=serializers.IntegerField(), source="links.by_network")
    links_breakdown = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        source="links.by_network_and_type",
        help_text="By the network of where a link starts, and by its type.",
    )
    pending_operations = serializers.IntegerField(source="work.pending", help_text="Waiting or under way.")
    failed_operations = serializers.IntegerField(source="work.failed")
    operations_by_status = serializers.DictField(child=serializers.IntegerField(), source="work.by_status")
    pending_consolidation = serializers.IntegerField(
        source="work.stale_entities", help_text="Entities whose observations will be made anew."
    )
    failed_consolidation = serializers.SerializerMethodField(help_text="Always 0: what fails stays pending.")
    last_consolidated_at = serializers.DateTimeField(source="units.newest_observation", allow_null=True)
    last_memory_write_at = serializers.DateTimeField(source="units.newest", allow_null=True)

    def get_failed_consolidation(self, _stats: object) -> int:
        return 0


class TimeseriesInput(Input):
    period = serializers.ChoiceField(choices=list(PERIODS), default="7d", help_text="Up to now.")
    time_field = serializers.ChoiceField(
        choices=list(TIME_FIELDS), default="created_at", help_text="What has no such time counts by created_at."
    )


class BucketOutput(Output):
    time = serializers.DateTimeField(help_text="Where the step begins, in UTC.")
    experience = serializers.IntegerField()
    observation = serializers.IntegerField()
    world = serializers.IntegerField()


class TimeseriesOutput(Output):
    bank_id = serializers.CharField()
    period = serializers.ChoiceField(choices=list(PERIODS))
    time_field = serializers.ChoiceField(choices=list(TIME_FIELDS))
    trunc = serializers.ChoiceField(choices=list(STEPS), help_text="How wide a step is.")
    buckets = BucketOutput(many=True, help_text="Every step of the period, the empty ones too.")


def describe_series(bank_id: str, wanted: dict[str, Any], buckets: list[TimeBucket]) -> dict[str, Any]:
    steps = [{"time": one.time, **one.counts} for one in buckets]
    told = {"bank_id": bank_id, **wanted, "trunc": PERIODS[wanted["period"]][0], "buckets": steps}
    return dict(TimeseriesOutput(told).data)


class StatsView(TenantView):
    @extend_schema(
        operation_id="get_bank_stats", summary="Count what a bank holds", responses={200: StatsOutput, **ERRORS}
    )
    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            return Response(StatsOutput(count_bank(get_bank(self.access, bank_id))).data)


class TimeseriesView(TenantView):
    @extend_schema(
        operation_id="get_memories_timeseries",
        summary="Count memories over time",
        parameters=[TimeseriesInput],
        responses={200: TimeseriesOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = TimeseriesInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = dict(query.validated_data)
        with tenant_transaction(self.tenant_id):
            buckets = count_by_time(get_bank(self.access, bank_id), now=timezone.now(), **wanted)
        return Response(describe_series(bank_id, wanted, buckets))
