"""Input fields that several resources share: tags, trees of tag conditions, metadata, and times."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryplatform.api.serializers import Input, check_types
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, TagMatch, Tags

MOST_TAGS = 100
MOST_METADATA = 100
DEEPEST_CONDITION = 10
MOST_CONDITIONS = 100
MOST_TAGS_OF_ALL = 500  # recall compares each with every tag of a memory
MATCHES = get_args(TagMatch)
LEAF_FIELDS = {"tags", "match", "resolve"}
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
FARTHEST_ZONE = timedelta(hours=16)  # Postgres' limit; real zones go up to 14


@extend_schema_field({"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": MOST_TAGS})
class TagsField(serializers.ListField):
    """Accepts a list, or its JSON text, which some clients send."""

    child = serializers.CharField(max_length=200)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, max_length=MOST_TAGS)

    def to_internal_value(self, data: Any) -> Any:
        given = parse_json(data) if isinstance(data, str) else data
        check_types(self, given)
        return super().to_internal_value(given)


class MetadataField(serializers.DictField):
    """Names of up to 100 characters with values of up to 500."""

    child = serializers.CharField(max_length=500, allow_blank=True)
    names = serializers.CharField(max_length=100)

    def to_internal_value(self, data: Any) -> Any:
        values = super().to_internal_value(data)
        if len(values) > MOST_METADATA:
            raise serializers.ValidationError(f"Must have no more than {MOST_METADATA} entries.")
        return {self.names.run_validation(name): value for name, value in values.items()}


def parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


TAGS_FIELD = TagsField()


@extend_schema_field(
    {
        "type": "array",
        "maxItems": MOST_CONDITIONS,
        "description": f"All must hold, with no more than {MOST_TAGS_OF_ALL} tags in all. A leaf "
        '{"tags": [...], "match": "any_strict"}, or {"and": [...]}, {"or": [...]}, {"not": ...} of such.',
        "items": {"type": "object"},
    }
)
class TagGroupsField(serializers.Field[TagCondition, Any, Any, Any]):
    def to_internal_value(self, data: Any) -> TagCondition:
        if not isinstance(data, list):
            raise serializers.ValidationError("Must be a list of conditions.")
        condition = AllOf(tuple(read_condition(one, depth=1) for one in data))
        if sum(1 for _ in walk_conditions(condition)) > MOST_CONDITIONS + 1:
            raise serializers.ValidationError(f"Must have no more than {MOST_CONDITIONS} conditions.")
        if sum(len(one.tags) for one in walk_conditions(condition) if isinstance(one, Tags)) > MOST_TAGS_OF_ALL:
            raise serializers.ValidationError(f"Must have no more than {MOST_TAGS_OF_ALL} tags in all conditions.")
        return condition


def read_condition(given: Any, *, depth: int) -> TagCondition:
    if not isinstance(given, Mapping) or depth > DEEPEST_CONDITION:
        raise serializers.ValidationError(f"A condition is an object, at most {DEEPEST_CONDITION} deep.")
    match list(given.items()):
        case [("not", inner)]:
            return Not(read_condition(inner, depth=depth + 1))
        case [("and", list(children))]:
            return AllOf(tuple(read_condition(child, depth=depth + 1) for child in children))
        case [("or", list(children))]:
            return AnyOf(tuple(read_condition(child, depth=depth + 1) for child in children))
    if "tags" in given and set(given) <= LEAF_FIELDS:
        return read_leaf(given)
    raise serializers.ValidationError('A condition has "tags", "and", "or" or "not".')


def read_leaf(given: Mapping[str, Any]) -> Tags:
    match = given.get("match", "any_strict")
    if match not in MATCHES:
        raise serializers.ValidationError(f"match is one of {', '.join(MATCHES)}.")
    if given.get("resolve", "exact") != "exact":
        raise serializers.ValidationError('Tags are compared as they are: resolve can only be "exact".')
    return Tags(tuple(TAGS_FIELD.run_validation(given["tags"])), match)


def walk_conditions(condition: TagCondition) -> Iterator[TagCondition]:
    yield condition
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            for one in conditions:
                yield from walk_conditions(one)
        case Not(inner):
            yield from walk_conditions(inner)


class TagFilterInput(Input):
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(
        choices=MATCHES,
        default="any",
        help_text="any and all also match memories without tags; the strict forms don't. exact without tags "
        "matches memories without tags.",
    )


def check_time(value: datetime) -> None:
    if not EARLIEST <= value < LATEST:
        raise serializers.ValidationError("Must lie between the years 1900 and 2200.")
    if abs(value.utcoffset() or timedelta()) >= FARTHEST_ZONE:
        raise serializers.ValidationError("The offset from UTC must be less than 16 hours.")


class TimeField(serializers.DateTimeField):
    """A time between 1900 and 2200. Others are placeholders or typos, and overflow when zones are applied."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, validators=[check_time])

    def enforce_timezone(self, value: datetime) -> datetime:
        """Keeps the given zone: "today" is a day in the speaker's zone."""
        return super().enforce_timezone(value) if value.tzinfo is None else value

    def to_internal_value(self, value: Any) -> datetime:
        try:
            return super().to_internal_value(value)
        except OverflowError:
            raise serializers.ValidationError("Must lie between the years 1900 and 2200.") from None


class DateOrTimeField(TimeField):
    """Keeps a plain date, whose start depends on the caller's zone (`begin_day`)."""

    def to_internal_value(self, value: Any) -> Any:
        moment = super().to_internal_value(value)
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            return moment

    def run_validators(self, value: Any) -> None:
        super().run_validators(value if isinstance(value, datetime) else begin_day(value, UTC))


def begin_day(day: date, zone: tzinfo | None) -> datetime:
    return datetime.combine(day, time.min, tzinfo=zone)
