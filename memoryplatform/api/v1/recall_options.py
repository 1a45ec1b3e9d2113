"""The parts of what comes in at recall that have fields of their own."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.moments import DayOrMomentField, begin_day
from retrieval.filters.types import TimeRange
from retrieval.types import Include, LeastScores

MOST_TOKENS = 10_000_000
ENTITY_TOKENS, CHUNK_TOKENS, MESSAGE_TOKENS = 500, 8_192, 4_096  # the first two are Hindsight's


class ScoresInput(Input):
    """`semantic` and `keyword` bound what their own channel brings; the others hold for every result."""

    semantic = serializers.FloatField(required=False, allow_null=True, default=None)
    keyword = serializers.FloatField(required=False, allow_null=True, default=None)
    reranker = serializers.FloatField(required=False, allow_null=True, default=None)
    final = serializers.FloatField(required=False, allow_null=True, default=None)


class RangeInput(Input):
    """From `start` up to but not including `end`; either may be left out. A plain date is the midnight that begins it,
    in the zone of `query_timestamp`.
    """

    start = DayOrMomentField(required=False, allow_null=True, default=None)
    end = DayOrMomentField(required=False, allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        check_order(attrs["start"], attrs["end"])
        return attrs


class WindowInput(Input):
    """Both ends belong to it, a plain date with its whole day, in the zone of `query_timestamp`. It ranks what lies
    within higher; it does not filter.
    """

    start = DayOrMomentField()
    end = DayOrMomentField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        check_order(attrs["start"], attrs["end"])
        return attrs


class EntitiesOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=ENTITY_TOKENS)


class ChunksOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=CHUNK_TOKENS)


class MessagesOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=MESSAGE_TOKENS)
    neighbours = serializers.IntegerField(
        min_value=0, max_value=10, default=0, help_text="Messages before and after each, where tokens are left."
    )


@extend_schema_field({"type": "object"})
class NullField(serializers.Field[None, Any, Any, Any]):
    """A field of Hindsight's that some clients send as null whether they use it or not."""

    def to_internal_value(self, _data: Any) -> None:
        raise serializers.ValidationError("Not supported.")


class IncludeInput(Input):
    entities = EntitiesOption(required=False, allow_null=True, help_text="They come unless this is null.")
    chunks = ChunksOption(required=False, allow_null=True)
    source_messages = MessagesOption(required=False, allow_null=True)
    links = serializers.BooleanField(default=False, help_text="true or false: the edges between the results.")
    source_facts = NullField(required=False, allow_null=True, help_text="Must be null or left out.")


def check_order(start: date | None, end: date | None) -> None:
    """Of two dates or two moments; where it is one of each the zone of whoever asks decides (see `read_query`)."""
    if start and end and type(start) is type(end) and end < start:
        raise serializers.ValidationError("Ends before it starts.")


def read_range(given: dict[str, Any] | None, asked_at: datetime | None) -> TimeRange:
    zone = asked_at.tzinfo if asked_at else UTC
    return TimeRange(**{name: end and find_start(end, zone) for name, end in (given or {}).items()})


def read_window(given: dict[str, Any] | None, asked_at: datetime) -> tuple[datetime, datetime] | None:
    """Inclusive on the wire, half-open inside. Twice the same moment stays one, which recall takes for a day."""
    if given is None:
        return None
    start, end = find_start(given["start"], asked_at.tzinfo), given["end"]
    if not isinstance(end, datetime):
        return start, begin_day(end + timedelta(days=1), asked_at.tzinfo)
    return start, end if end == start else end + timedelta(microseconds=1)


def find_start(given: date, zone: tzinfo | None) -> datetime:
    return given if isinstance(given, datetime) else begin_day(given, zone)


def read_least_scores(given: dict[str, Any] | None) -> LeastScores:
    return LeastScores(**(given or {}))


def read_include(given: dict[str, Any] | None) -> Include:
    given = given or {}
    return Include(
        entities=read_tokens(given.get("entities", {"max_tokens": ENTITY_TOKENS})),
        chunks=read_tokens(given.get("chunks")),
        source_messages=read_tokens(given.get("source_messages")),
        neighbours=(given.get("source_messages") or {}).get("neighbours", 0),
        links=given.get("links", False),
    )


def read_tokens(option: dict[str, Any] | None) -> int | None:
    return None if option is None else int(option["max_tokens"])
