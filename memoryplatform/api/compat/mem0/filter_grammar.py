"""mem0's filters in a request. Older versions send some of them beside `filters`, or in the query string."""

import ast
import json
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from rest_framework import serializers

from memoryplatform.api.compat.mem0.filter_conditions import EVERYTHING, GRAMMAR, Condition, FieldTest
from memoryplatform.api.compat.mem0.metadata import EXPIRATION
from memoryplatform.api.compat.mem0.owners import KINDS
from memoryplatform.api.serializers import prefix_faults
from retrieval.filters.types import AllOf, Not, list_leaves

LONGEST_OBJECT = 10_000
OBJECT_PARAMETERS = ("metadata", "filters")
LIST_PARAMETERS = ("categories", "fields")
# A top-level parameter, and the filter key and operator that it stands for.
TOP_LEVEL_FILTERS = {
    "start_date": ("created_at", "gte"),
    "end_date": ("created_at", "lte"),
    "keywords": ("keywords", "icontains"),
    "categories": ("categories", "in"),
}


def read_filters(given: Any) -> Condition:
    with prefix_faults("filters"):
        return EVERYTHING if given == {} else GRAMMAR.read(given)


def read_top_level(name: str, key: str, value: Any) -> Condition:
    """Reads a filter that is a top-level parameter."""
    with prefix_faults(name):
        return GRAMMAR.read_field(key, value)


def require_owner(condition: Condition) -> Condition:
    """Every list, search and deletion must name an owner; `*` names all."""
    tests = (one for one in list_leaves(condition) if isinstance(one, FieldTest))
    if any(one.field == "tag" and one.key in KINDS.values() for one in tests):
        return condition
    raise serializers.ValidationError(f"One of the filters: {', '.join(KINDS)} is required!")


def read_query_filters(query: QueryDict) -> dict[str, Any]:
    """The query string as a body; empty values are left out."""
    given: dict[str, Any] = {name: value for name, value in query.items() if value}
    for name in OBJECT_PARAMETERS:
        if name in given:
            given[name] = parse_object(name, given[name])
    return given | {name: query.getlist(name) for name in LIST_PARAMETERS if name in given}


def parse_object(name: str, given: str) -> Mapping[str, Any]:
    """Accepts JSON, or a Python dict as mem0's client writes it into a query."""
    if len(given) > LONGEST_OBJECT:
        raise serializers.ValidationError({name: [f"Must have at most {LONGEST_OBJECT} characters."]})
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(given)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(found, Mapping):
            return found
    raise serializers.ValidationError({name: ["Must be an object."]})


def read_request_filters(given: Any, *, flat_ids: bool = False) -> Condition:
    """With `flat_ids` the ids may be top-level fields, as in older versions."""
    if not isinstance(given, Mapping):
        raise serializers.ValidationError("The body must be an object.")
    names = [name for name in KINDS if given.get(name) is not None]
    if names and not flat_ids:
        raise serializers.ValidationError(f"{', '.join(names)} must be inside filters.")
    conditions = [read_filters(given["filters"])] if given.get("filters") is not None else []
    conditions += [read_top_level(name, name, given[name]) for name in names]
    for name, (key, operator) in TOP_LEVEL_FILTERS.items():
        if given.get(name):
            conditions.append(read_top_level(name, key, {operator: given[name]}))
    if given.get("metadata"):
        conditions.append(read_top_level("metadata", "metadata", given["metadata"]))
    return require_owner(AllOf(tuple(conditions)))


def without_expired(condition: Condition) -> Condition:
    """A memory is visible until its expiration day, inclusive."""
    today = timezone.now().date().isoformat()
    return AllOf((condition, Not(FieldTest("metadata", "between", (None, today), EXPIRATION))))
