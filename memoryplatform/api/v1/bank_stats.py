"""`/v1/banks/{bank_id}/stats` and `/tags`: counts of memories, links, operations and tags, and a time series."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response

from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.lists import OffsetInput, OffsetOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks import stats
from memoryplatform.operations.banks.profile import bank_transaction


class StatsOutput(Output):
    """Counts of current memories. Opinions count in `total_opinions` only."""

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
        help_text="Stored links only: recall finds neighbours by entity and by time at query time.",
    )
    links_by_fact_type = serializers.DictField(child=serializers.IntegerField(), source="links.by_network")
    links_breakdown = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        source="links.by_network_and_type",
        help_text="By the network of the link's source, and by its type.",
    )
    pending_operations = serializers.IntegerField(source="work.pending", help_text="Waiting or running.")
    failed_operations = serializers.IntegerField(source="work.failed")
    operations_by_status = serializers.DictField(child=serializers.IntegerField(), source="work.by_status")
    pending_consolidation = serializers.IntegerField(
        source="work.stale_entities", help_text="Entities whose observations are stale."
    )
    failed_consolidation = serializers.SerializerMethodField(help_text="Always 0: failed work stays pending.")
    last_consolidated_at = serializers.DateTimeField(source="units.newest_observation", allow_null=True)
    last_memory_write_at = serializers.DateTimeField(source="units.newest", allow_null=True)

    def get_failed_consolidation(self, _stats: object) -> int:
        return 0


class TimeseriesInput(Input):
    period = serializers.ChoiceField(choices=list(stats.PERIODS), default="7d", help_text="The period up to now.")
    time_field = serializers.ChoiceField(
        choices=list(stats.TIME_FIELDS),
        default="created_at",
        help_text="Memories without this time count by created_at.",
    )


class BucketOutput(Output):
    time = serializers.DateTimeField(help_text="The start of the bucket, in UTC.")
    experience = serializers.IntegerField()
    observation = serializers.IntegerField()
    world = serializers.IntegerField()


class TimeseriesOutput(Output):
    bank_id = serializers.CharField()
    period = serializers.ChoiceField(choices=list(stats.PERIODS))
    time_field = serializers.ChoiceField(choices=list(stats.TIME_FIELDS))
    trunc = serializers.ChoiceField(choices=list(stats.STEPS), help_text="The width of a bucket.")
    buckets = BucketOutput(many=True, help_text="Every bucket of the period, including empty ones.")


def describe_series(bank_id: str, wanted: dict[str, Any], buckets: list[dict[str, Any]]) -> dict[str, Any]:
    fields = {"bank_id": bank_id, **wanted, "trunc": stats.PERIODS[wanted["period"]][0], "buckets": buckets}
    return dict(TimeseriesOutput(fields).data)


class StatsView(TenantView):
    @route("get_bank_stats", "Count a bank's memories, links and operations", StatsOutput)
    def get(self, bank_id: str) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return stats.count_bank(bank)


class TimeseriesView(TenantView):
    @route("get_memories_timeseries", "Count memories over time", TimeseriesOutput, query=TimeseriesInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            buckets = stats.count_by_time(bank, now=timezone.now(), **wanted)
        return Response(describe_series(bank_id, wanted, buckets))


class TagListInput(OffsetInput):
    q = serializers.CharField(
        max_length=200, required=False, default="", help_text="A pattern for the whole tag; * matches anything."
    )
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        choices=[stats.MEMORIES, stats.MENTAL_MODELS],
        default=stats.MEMORIES,
        help_text="Tags of memories or of mental models. Opinions are not counted.",
    )


class TagOutput(Output):
    tag = serializers.CharField()
    count = serializers.IntegerField(help_text="The number of current memories or models with this tag.")


class TagListOutput(OffsetOutput):
    items = TagOutput(many=True)


class TagsView(TenantView):
    @route("list_tags", "List tags, the most used first", TagListOutput, query=TagListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            found = stats.find_tags(bank, source=wanted["source"], pattern=wanted["q"])
        limit, offset = wanted["limit"], wanted["offset"]
        return {"items": found[offset : offset + limit], "total": len(found), "limit": limit, "offset": offset}
