"""Trees of tag conditions as they come over the wire: {"and": [...]}, {"or": [...]}, {"not": ...} or a leaf."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryplatform.api.v1.labels import TagsField
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, TagMatch, Tags

DEEPEST = 10
MOST_CONDITIONS = 100
MOST_TAGS_OF_ALL = 500  # each is compared with every tag of a memory
MATCHES = get_args(TagMatch)
LEAF_FIELDS = {"tags", "match", "resolve"}
TAGS = TagsField()


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
        if sum(1 for _ in walk(condition)) > MOST_CONDITIONS + 1:
            raise serializers.ValidationError(f"Must have no more than {MOST_CONDITIONS} conditions.")
        if sum(len(one.tags) for one in walk(condition) if isinstance(one, Tags)) > MOST_TAGS_OF_ALL:
            raise serializers.ValidationError(f"Must have no more than {MOST_TAGS_OF_ALL} tags in all conditions.")
        return condition


def read_condition(given: Any, *, depth: int) -> TagCondition:
    if not isinstance(given, Mapping) or depth > DEEPEST:
        raise serializers.ValidationError(f"A condition is an object, at most {DEEPEST} deep.")
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
    return Tags(tuple(TAGS.run_validation(given["tags"])), match)


def walk(condition: TagCondition) -> Iterator[TagCondition]:
    yield condition
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            for one in conditions:
                yield from walk(one)
        case Not(inner):
            yield from walk(inner)
