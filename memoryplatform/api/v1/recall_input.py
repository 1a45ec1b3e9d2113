"""The request of a recall: Hindsight's fields, and ours beside them."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.enums import Network
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1 import fields
from memoryplatform.api.v1.filter_fields import FiltersField, read_filter_tree
from memoryplatform.operations.read_replica import LSN, parse_lsn
from retrieval.analysis import clean_query
from retrieval.errors import QueryWithoutWords
from retrieval.filters.tree import add_condition
from retrieval.filters.types import Filters, TagCondition, Tags, TimeRange
from retrieval.types import BUDGETS, Budget, Include, LeastScores, PointInTime, RecallQuery

MOST_TOKENS = 10_000_000
ENTITY_TOKENS, CHUNK_TOKENS, MESSAGE_TOKENS = 500, 8_192, 4_096  # the first two are Hindsight's
LONGEST_QUERY = 100_000  # characters; beyond 2,000 only the beginning and the end are searched
MOST_NAMES = 100
MOST_NODES = 5_000
MOST_RESULTS = 1_000
LEAST_DEPTH, MOST_DEPTH = 8, 128


class ScoresInput(Input):
    """`semantic` and `keyword` limit their own channel; `reranker` and `final` limit every result."""

    semantic = serializers.FloatField(required=False, allow_null=True, default=None)
    keyword = serializers.FloatField(required=False, allow_null=True, default=None)
    reranker = serializers.FloatField(required=False, allow_null=True, default=None)
    final = serializers.FloatField(required=False, allow_null=True, default=None)


class OrderedInput(Input):
    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Compares two dates or two times. A date and a time are compared later, in the caller's zone."""
        start, end = attrs["start"], attrs["end"]
        if start and end and type(start) is type(end) and end < start:
            raise serializers.ValidationError("Ends before it starts.")
        return attrs


class RangeInput(OrderedInput):
    """`end` is exclusive; either may be left out. A plain date is its first midnight in the zone of
    `query_timestamp`.
    """

    start = fields.DateOrTimeField(required=False, allow_null=True, default=None)
    end = fields.DateOrTimeField(required=False, allow_null=True, default=None)


class WindowInput(OrderedInput):
    """Both ends are inclusive; a plain date is a whole day in the zone of `query_timestamp`. The window ranks
    memories within it higher; it does not filter.
    """

    start = fields.DateOrTimeField()
    end = fields.DateOrTimeField()


class EntitiesOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=ENTITY_TOKENS)


class ChunksOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=CHUNK_TOKENS)


class MessagesOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=MESSAGE_TOKENS)
    neighbours = serializers.IntegerField(
        min_value=0, max_value=10, default=0, help_text="Messages before and after each, if tokens are left."
    )


@extend_schema_field({"type": "object"})
class NullField(serializers.Field[None, Any, Any, Any]):
    """An unsupported field of Hindsight's, which some clients always send as null."""

    def to_internal_value(self, _data: Any) -> None:
        raise serializers.ValidationError("Not supported.")


class FieldsOption(Input):
    pass


class IncludeInput(Input):
    """Each is left out unless given. `{}` takes its defaults."""

    scores = FieldsOption(required=False, allow_null=True, help_text="`scores` of each result.")
    sources = FieldsOption(required=False, allow_null=True, help_text="`sources` of each result.")
    details = FieldsOption(
        required=False, allow_null=True, help_text="The other fields of each result; none is left out as empty."
    )
    entities = EntitiesOption(required=False, allow_null=True)
    chunks = ChunksOption(required=False, allow_null=True)
    source_messages = MessagesOption(required=False, allow_null=True)
    links = serializers.BooleanField(default=False, help_text="true includes the links between the results.")
    source_facts = NullField(required=False, allow_null=True, help_text="Must be null or left out.")


def find_zone(asked_at: datetime | None) -> tzinfo | None:
    return asked_at.tzinfo if asked_at else UTC


def check_range(name: str, given: TimeRange) -> None:
    """For a date and a time, which are comparable only in the caller's zone."""
    if given.start and given.end and given.end < given.start:
        raise serializers.ValidationError({name: ["Ends before it starts."]})


def read_range(given: dict[str, Any] | None, zone: tzinfo | None) -> TimeRange:
    return TimeRange(**{name: end and resolve_time(end, zone) for name, end in (given or {}).items()})


def read_window(given: dict[str, Any] | None, asked_at: datetime) -> tuple[datetime, datetime] | None:
    """Converts the inclusive range to a half-open one. A single moment stays one, which recall widens to a day."""
    if given is None:
        return None
    start, end = resolve_time(given["start"], asked_at.tzinfo), given["end"]
    if not isinstance(end, datetime):
        return start, fields.begin_day(end + timedelta(days=1), asked_at.tzinfo)
    return start, end if end == start else end + timedelta(microseconds=1)


def resolve_time(given: date, zone: tzinfo | None) -> datetime:
    return given if isinstance(given, datetime) else fields.begin_day(given, zone)


def read_include(given: dict[str, Any] | None) -> Include:
    given = given or {}
    return Include(
        entities=read_token_budget(given.get("entities")),
        chunks=read_token_budget(given.get("chunks")),
        source_messages=read_token_budget(given.get("source_messages")),
        neighbours=(given.get("source_messages") or {}).get("neighbours", 0),
        links=given.get("links", False),
        scores=given.get("scores") is not None,
        sources=given.get("sources") is not None,
        details=given.get("details") is not None,
    )


def read_token_budget(option: dict[str, Any] | None) -> int | None:
    return None if option is None else int(option["max_tokens"])


@extend_schema_field(OpenApiTypes.DATETIME)
class AskedAtField(fields.TimeField):
    """Keeps its zone, in which "yesterday" is resolved. Default: UTC."""

    def enforce_timezone(self, value: datetime) -> datetime:
        return value if timezone.is_aware(value) else value.replace(tzinfo=UTC)


@extend_schema_field({"type": "string", "pattern": LSN.pattern, "example": "0/16B3748"})
class LsnField(serializers.RegexField):
    """A place in the write-ahead log of Postgres."""

    def __init__(self, **options: Any) -> None:
        super().__init__(LSN, **options)


class RecallInput(Input):
    query = serializers.CharField(max_length=LONGEST_QUERY)
    types = serializers.ListField(
        child=serializers.ChoiceField(choices=[network.value for network in Network]),
        required=False,
        allow_null=True,
        help_text="Networks to search. Default: all.",
    )
    budget = serializers.ChoiceField(choices=list(BUDGETS), default="mid")
    thinking_budget = serializers.IntegerField(
        min_value=1,
        max_value=MOST_NODES,
        required=False,
        allow_null=True,
        help_text="The number of memories to examine, in place of budget.",
    )
    max_tokens = serializers.IntegerField(
        min_value=0, max_value=MOST_TOKENS, default=4096, help_text="The most tokens of the results' texts together."
    )
    max_results = serializers.IntegerField(
        min_value=1,
        max_value=MOST_RESULTS,
        required=False,
        allow_null=True,
        default=None,
        help_text="The most results. Default: all that are relevant and fit.",
    )
    fill = serializers.BooleanField(default=False, help_text="Everything that fits into `max_tokens`, relevant or not.")
    trace = serializers.BooleanField(default=False)
    rerank = serializers.BooleanField(default=True)
    query_timestamp = AskedAtField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The time of the question; `yesterday` is resolved in its zone. Default: now.",
    )
    include = IncludeInput(required=False, allow_null=True)
    tags = fields.TagsField(required=False, allow_null=True)
    tags_match = serializers.ChoiceField(choices=fields.MATCHES, default="any")
    tag_groups = fields.TagGroupsField(required=False, allow_null=True)
    metadata = fields.MetadataField(required=False, allow_null=True)
    filters = FiltersField(required=False, allow_null=True)
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
    as_of = fields.TimeField(
        required=False, allow_null=True, default=None, help_text="Only memories that were true at this time."
    )
    known_at = fields.TimeField(
        required=False, allow_null=True, default=None, help_text="Only memories that were known at this time."
    )
    history = serializers.BooleanField(default=False, help_text="Include superseded memories.")
    min_lsn = LsnField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The `Memory-LSN` of a write that the answer must know. Writes of the same key are always known.",
    )
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
            raise serializers.ValidationError({"min_scores": ["Needs rerank."]})
        zone = find_zone(attrs["query_timestamp"])
        for name in ("occurred", "mentioned"):
            check_range(name, read_range(attrs.get(name), zone))
        if attrs.get("filters"):
            attrs["filters"] = read_filter_tree(attrs["filters"], zone)
        return attrs

    def recall_query(self) -> RecallQuery:
        given = self.validated_data
        return replace(
            build_recall_query(given, max_tokens=given["max_tokens"]),
            include=read_include(given.get("include")),
            least_scores=LeastScores(**(given.get("min_scores") or {})),
            trace=given["trace"],
        )


class RecallAcrossInput(RecallInput):
    banks = serializers.ListField(
        child=serializers.CharField(max_length=200), min_length=1, max_length=20, help_text="Banks to search."
    )


def build_recall_query(given: dict[str, Any], *, max_tokens: int) -> RecallQuery:
    """The fields that recall and reflect share."""
    asked_at = given["query_timestamp"] or timezone.now()
    return RecallQuery(
        text=given["query"],
        asked_at=asked_at,
        max_tokens=max_tokens,
        budget=read_budget(given),
        filters=read_filters(given),
        moment=PointInTime(given["as_of"], given["known_at"], history=given["history"]),
        window=read_window(given.get("temporal_window"), asked_at),
        rerank=given["rerank"],
        max_results=given["max_results"],
        fills=given["fill"],
        min_lsn=parse_lsn(given["min_lsn"]) if given.get("min_lsn") else 0,
    )


def read_budget(given: dict[str, Any]) -> Budget:
    """A thinking budget gets an interpolated rerank depth, and the time box of the next larger named budget."""
    nodes = given.get("thinking_budget")
    if nodes is None:
        return BUDGETS[given["budget"]]
    ceiling = next((budget for budget in BUDGETS.values() if budget.nodes >= nodes), BUDGETS["high"])
    depth = max(LEAST_DEPTH, min(MOST_DEPTH, round(ceiling.rerank_depth * nodes / ceiling.nodes)))
    return Budget(nodes=nodes, rerank_depth=depth, rerank_seconds=ceiling.rerank_seconds)


def read_filters(given: dict[str, Any]) -> Filters:
    zone = find_zone(given["query_timestamp"])
    filters = Filters(
        networks=tuple(Network(one) for one in given.get("types") or ()),
        tags=read_tags(given),
        metadata=dict(given.get("metadata") or {}),
        entities=tuple(given.get("entities") or ()),
        occurred=read_range(given.get("occurred"), zone),
        mentioned=read_range(given.get("mentioned"), zone),
        document_ids=tuple(given.get("document_ids") or ()),
    )
    return add_condition(filters, given["filters"]) if given.get("filters") else filters


def read_tags(given: dict[str, Any]) -> TagCondition | None:
    """As in Hindsight, `exact` without tags matches memories without tags; any other match needs tags."""
    if given.get("tag_groups"):
        condition: TagCondition = given["tag_groups"]
        return condition
    tags = tuple(given.get("tags") or ())
    return Tags(tags, given["tags_match"]) if tags or given["tags_match"] == "exact" else None
