"""What comes in at recall: Hindsight's fields, and ours beside them."""

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.words import Network
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.labels import MetadataField, TagsField
from memoryplatform.api.v1.moments import MomentField
from memoryplatform.api.v1.recall_options import (
    MOST_TOKENS,
    IncludeInput,
    RangeInput,
    ScoresInput,
    WindowInput,
    read_include,
    read_least_scores,
    read_range,
    read_window,
)
from memoryplatform.api.v1.tag_conditions import MATCHES, TagGroupsField
from retrieval.filters.types import Filters, TagCondition, Tags
from retrieval.query.cleaning import clean_query
from retrieval.query.errors import QueryWithoutWords
from retrieval.types import BUDGETS, Budget, PointInTime, RecallQuery

LONGEST_QUERY = 100_000  # characters; of a text beyond 2,000 the beginning and the end are searched
MOST_NAMES = 100
MOST_NODES = 5_000
LEAST_DEPTH, MOST_DEPTH = 8, 128


@extend_schema_field(OpenApiTypes.DATETIME)
class AskedAtField(MomentField):
    """Keeps its zone, which is the one that "yesterday" is told in; UTC where it names none."""

    def enforce_timezone(self, value: datetime) -> datetime:
        return value if timezone.is_aware(value) else value.replace(tzinfo=UTC)


class RecallInput(Input):
    query = serializers.CharField(max_length=LONGEST_QUERY)
    types = serializers.ListField(
        child=serializers.ChoiceField(choices=[network.value for network in Network]),
        required=False,
        allow_null=True,
        help_text="Networks to search; all where left out.",
    )
    budget = serializers.ChoiceField(choices=list(BUDGETS), default="mid")
    thinking_budget = serializers.IntegerField(
        min_value=1,
        max_value=MOST_NODES,
        required=False,
        allow_null=True,
        help_text="Memories to look at, in place of budget.",
    )
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=4096)
    trace = serializers.BooleanField(default=False)
    rerank = serializers.BooleanField(default=True)
    query_timestamp = AskedAtField(
        required=False,
        allow_null=True,
        default=None,
        help_text="When the question is asked; its zone is that of `yesterday`. Now where left out.",
    )
    include = IncludeInput(required=False, allow_null=True)
    tags = TagsField(required=False, allow_null=True)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    tag_groups = TagGroupsField(required=False, allow_null=True)
    metadata = MetadataField(required=False, allow_null=True)
    entities = serializers.ListField(
        child=serializers.CharField(max_length=300),
        required=False,
        allow_null=True,
        max_length=MOST_NAMES,
        help_text="Names; a memory must mention one of them.",
    )
    document_ids = serializers.ListField(
        child=serializers.CharField(max_length=500), required=False, allow_null=True, max_length=MOST_NAMES
    )
    occurred = RangeInput(required=False, allow_null=True)
    mentioned = RangeInput(required=False, allow_null=True)
    min_scores = ScoresInput(required=False, allow_null=True)
    temporal_window = WindowInput(required=False, allow_null=True)
    as_of = MomentField(required=False, allow_null=True, default=None, help_text="What was true at that time.")
    known_at = MomentField(required=False, allow_null=True, default=None, help_text="What was known at that time.")
    history = serializers.BooleanField(default=False, help_text="Superseded memories too.")
    prefer_observations = serializers.ChoiceField(
        choices=[False], required=False, allow_null=True, help_text="Must be false, null or left out."
    )

    def validate_query(self, value: str) -> str:
        try:
            return clean_query(value)
        except QueryWithoutWords as error:
            raise serializers.ValidationError(str(error), code=error.code) from error

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("tags") and attrs.get("tag_groups"):
            raise serializers.ValidationError("Give either tags or tag_groups.")
        if not attrs["rerank"] and (attrs.get("min_scores") or {}).get("reranker") is not None:
            raise serializers.ValidationError({"min_scores": ["Without reranking nothing has such a score."]})
        return attrs

    def recall_query(self) -> RecallQuery:
        given = self.validated_data
        asked_at = given["query_timestamp"] or timezone.now()
        return RecallQuery(
            text=given["query"],
            asked_at=asked_at,
            max_tokens=given["max_tokens"],
            budget=read_budget(given),
            filters=read_filters(given),
            moment=PointInTime(given["as_of"], given["known_at"], history=given["history"]),
            window=read_window(given.get("temporal_window"), asked_at),
            include=read_include(given.get("include")),
            least_scores=read_least_scores(given.get("min_scores")),
            rerank=given["rerank"],
            trace=given["trace"],
        )


class RecallAcrossInput(RecallInput):
    banks = serializers.ListField(
        child=serializers.CharField(max_length=200), min_length=1, max_length=20, help_text="Banks to search."
    )


def read_budget(given: dict[str, Any]) -> Budget:
    """A thinking budget between the named ones gets a depth between theirs, and the time of the next larger one."""
    nodes = given.get("thinking_budget")
    if nodes is None:
        return BUDGETS[given["budget"]]
    ceiling = next((budget for budget in BUDGETS.values() if budget.nodes >= nodes), BUDGETS["high"])
    depth = max(LEAST_DEPTH, min(MOST_DEPTH, round(ceiling.rerank_depth * nodes / ceiling.nodes)))
    return Budget(nodes=nodes, rerank_depth=depth, rerank_seconds=ceiling.rerank_seconds)


def read_filters(given: dict[str, Any]) -> Filters:
    return Filters(
        networks=tuple(Network(one) for one in given.get("types") or ()),
        tags=read_tags(given),
        metadata=dict(given.get("metadata") or {}),
        entities=tuple(given.get("entities") or ()),
        occurred=read_range(given.get("occurred"), given["query_timestamp"]),
        mentioned=read_range(given.get("mentioned"), given["query_timestamp"]),
        document_ids=tuple(given.get("document_ids") or ()),
    )


def read_tags(given: dict[str, Any]) -> TagCondition | None:
    """`exact` without tags finds what has none, as Hindsight has it; any other match without tags filters nothing."""
    if given.get("tag_groups"):
        condition: TagCondition = given["tag_groups"]
        return condition
    tags = tuple(given.get("tags") or ())
    return Tags(tags, given["tags_match"]) if tags or given["tags_match"] == "exact" else None
