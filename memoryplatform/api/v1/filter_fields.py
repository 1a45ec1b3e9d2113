"""The `filters` of a recall: one tree over tags, metadata, entities and times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any, Literal

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryplatform.api.filter_grammar import (
    COMPARISONS,
    MOST_CONDITIONS,
    MOST_VALUES,
    PRESENT,
    Bounds,
    Grammar,
    Read,
    choose_bounds,
    get_metadata_bounds,
    get_range_bounds,
    read_metadata,
    read_text,
    require_operator,
)
from memoryplatform.api.serializers import prefix_faults
from memoryplatform.api.v1.fields import DateOrTimeField, begin_day
from retrieval.filters.types import AnyOf, Condition, Entities, Happened, Leaf, Metadata, Not, Tags, TimeRange

TICK = timedelta(microseconds=1)
TAG = serializers.CharField(max_length=200, trim_whitespace=False)
NAME = serializers.CharField(max_length=300)
TIME = DateOrTimeField()
ONE = ("eq", "contains")  # tags and entities are lists, so both mean one member
UNTAGGED = Tags((), "exact")


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": True,
        "description": "A tree of conditions on `tags`, `metadata`, `entities`, `occurred` and `mentioned`, joined by "
        "`and`, `or` and `not`. A flat object is a conjunction. A value, a list of choices, or operators: `eq`, `ne`, "
        "`in`, `nin`, `gt`, `gte`, `lt`, `lte`, `contains`, `icontains`, `exists`. At most "
        f"{MOST_CONDITIONS} conditions, and {MOST_VALUES} values in a list.",
        "example": {"metadata": {"priority": {"gte": 3}}, "not": {"tags": ["draft"]}},
    }
)
class FiltersField(serializers.Field[Any, Any, Any, Any]):
    """Only keeps the object: its days are days in the zone of another field (`read_filter_tree`)."""

    def to_internal_value(self, data: Any) -> Mapping[str, Any]:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError("Must be an object.")
        return data


def read_filter_tree(given: Mapping[str, Any], zone: tzinfo | None) -> Condition:
    """A plain date is a day in this zone. Raises a ValidationError."""
    with prefix_faults("filters"):
        return build_grammar(zone).read(given)


def build_grammar(zone: tzinfo | None) -> Grammar[Leaf]:
    fields: dict[str, Read[Leaf]] = {
        "tags": read_tag,
        "entities": read_entity,
        "occurred": TimeReader("occurred", zone),
        "mentioned": TimeReader("mentioned", zone),
    }
    return Grammar(fields, read_metadata, merge_choices, get_bounds)


def read_tag(_key: str, operator: str, value: Any) -> Condition:
    if operator == PRESENT:
        return Not(UNTAGGED)
    require_operator(operator, ONE)
    return Tags((read_text(TAG, value),), "any_strict")


def read_entity(_key: str, operator: str, value: Any) -> Condition:
    if operator == PRESENT:
        return Entities()
    require_operator(operator, ONE)
    return Entities((read_text(NAME, value),))


@dataclass(frozen=True)
class TimeReader:
    column: Literal["occurred", "mentioned"]
    zone: tzinfo | None

    def __call__(self, _key: str, operator: str, value: Any) -> Condition:
        if operator == PRESENT:
            return Happened(self.column)
        require_operator(operator, ("eq", *COMPARISONS))
        return Happened(self.column, TimeRange(*choose_bounds(operator, *self.read_extent(value))))

    def read_extent(self, value: Any) -> tuple[datetime, datetime]:
        """The start and the exclusive end of a day, or of a single moment."""
        given = TIME.run_validation(value)
        if isinstance(given, datetime):
            return given, given + TICK
        return begin_day(given, self.zone), begin_day(given + timedelta(days=1), self.zone)


def merge_choices(choices: Sequence[Condition]) -> Condition:
    """Merges choices of one field into a single leaf, so that a list is one look-up."""
    match choices:
        case [Tags(match="any_strict"), *_] if all(isinstance(one, Tags) for one in choices):
            return Tags(tuple(tag for one in choices if isinstance(one, Tags) for tag in one.tags), "any_strict")
        case [Entities(), *_] if all(isinstance(one, Entities) for one in choices):
            return Entities(tuple(name for one in choices if isinstance(one, Entities) for name in one.names))
        case [Metadata(key=key), *_] if all(isinstance(one, Metadata) for one in choices):
            values = tuple(value for one in choices if isinstance(one, Metadata) for value in one.values)
            return Metadata(key, "in", values)
    return AnyOf(tuple(choices))


def get_bounds(condition: Condition) -> Bounds | None:
    match condition:
        case Metadata():
            return get_metadata_bounds(condition)
        case Happened():
            return get_range_bounds(condition.range.start, condition.range.end)
    return None
