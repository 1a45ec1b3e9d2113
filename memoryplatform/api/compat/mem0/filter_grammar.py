"""Parsing of mem0's filters.

A flat object is a conjunction. AND, OR and NOT nest. A value may be an object of operators. Older versions send some
filters beside `filters`, or in the query string.
"""

import ast
import json
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from rest_framework import serializers

from memoryplatform.api.compat.mem0.filter_conditions import (
    EVERYTHING,
    FIELDS,
    PRESENT,
    AllOf,
    AnyOf,
    Condition,
    FieldTest,
    Not,
    Read,
    read_metadata_value,
    walk,
)
from memoryplatform.api.compat.mem0.mem0_view import prefix_faults
from memoryplatform.api.compat.mem0.metadata import EXPIRATION
from memoryplatform.api.compat.mem0.owners import KINDS
from memoryplatform.api.serializers import check_json

DEEPEST_FILTER = 10
MOST_CONDITIONS = 100
MOST_VALUES = 1_000  # of one list
OPERATORS = {"eq", "ne", "in", "gt", "gte", "lt", "lte", "contains", "icontains"}
JOINS = {"AND", "OR", "NOT"}
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
        if not isinstance(given, Mapping):
            raise serializers.ValidationError("Must be an object.")
        check_json(given)
        return check_size(read_condition(given, depth=1) if given else EVERYTHING)


def read_top_level(name: str, key: str, value: Any) -> Condition:
    """Reads a filter that is a top-level parameter."""
    with prefix_faults(name):
        check_json(value)
        return check_size(read_key(key, value, depth=1))


def check_size(condition: Condition) -> Condition:
    if sum(1 for _ in walk(condition)) > MOST_CONDITIONS:
        raise serializers.ValidationError(f"Must have no more than {MOST_CONDITIONS} conditions.")
    return condition


def require_owner(condition: Condition) -> Condition:
    """Every list, search and deletion must name an owner; `*` names all."""
    tests = (one for one in walk(condition) if isinstance(one, FieldTest))
    if any(one.field == "tag" and one.key in KINDS.values() for one in tests):
        return condition
    raise serializers.ValidationError(f"One of the filters: {', '.join(KINDS)} is required!")


def read_condition(given: Any, *, depth: int) -> Condition:
    if not isinstance(given, Mapping) or depth > DEEPEST_FILTER:
        raise serializers.ValidationError(f"Conditions are objects, at most {DEEPEST_FILTER} deep.")
    require_not_empty(given)
    parts = tuple(read_entry(key, value, depth=depth) for key, value in given.items())
    return parts[0] if len(parts) == 1 else AllOf(parts)


def read_entry(key: str, value: Any, *, depth: int) -> Condition:
    with prefix_faults(key):
        return read_key(key, value, depth=depth)


def read_key(key: str, value: Any, *, depth: int) -> Condition:
    if key.upper() in JOINS:
        return read_join(key.upper(), value, depth=depth)
    if key == "metadata":
        return read_metadata_filter(value)
    if key not in FIELDS:
        raise serializers.ValidationError("Unknown filter key.")
    return read_operators(key, value, FIELDS[key])


def read_join(join: str, value: Any, *, depth: int) -> Condition:
    children = value if isinstance(value, list) else [value]
    require_not_empty(children)
    conditions = tuple(read_condition(child, depth=depth + 1) for child in children)
    if join == "AND":
        return AllOf(conditions)
    return AnyOf(conditions) if join == "OR" else Not(AnyOf(conditions))


def require_not_empty(given: Sized) -> None:
    """An empty condition would match everything, and most likely its value is missing."""
    if not given:
        raise serializers.ValidationError("Must not be empty.")


def read_metadata_filter(given: Any) -> Condition:
    """A value that is an object without operators is compared for equality."""
    if not isinstance(given, Mapping):
        raise serializers.ValidationError("Must be an object.")
    require_not_empty(given)
    return AllOf(tuple(read_metadata_condition(key, value) for key, value in given.items()))


def read_metadata_condition(key: str, value: Any) -> Condition:
    has_operators = isinstance(value, Mapping) and value and set(value) <= OPERATORS
    with prefix_faults(key):
        if has_operators:
            return read_operators(key, value, read_metadata_value)
        return read_operator(key, "eq", value, read_metadata_value)


def read_operators(key: str, given: Any, read: Read) -> Condition:
    if isinstance(given, list):
        return read_operator(key, "in", given, read)
    if not isinstance(given, Mapping):
        return read_operator(key, "eq", given, read)
    unknown = sorted(set(given) - OPERATORS)
    if unknown or not given:
        raise serializers.ValidationError(f"Unknown operator {', '.join(unknown)}.")
    return AllOf(tuple(read_operator(key, operator, value, read) for operator, value in given.items()))


def read_operator(key: str, operator: str, value: Any, read: Read) -> Condition:
    if operator == "ne":
        return Not(read_operator(key, "eq", value, read))
    if operator == "in":
        return read_list(key, value, read)
    if operator == "eq" and value == PRESENT:
        return read(key, PRESENT, None)
    if operator == "eq" and value is None:
        return Not(read(key, PRESENT, None))
    return read(key, operator, value)


def read_list(key: str, given: Any, read: Read) -> Condition:
    if not isinstance(given, list) or len(given) > MOST_VALUES:
        raise serializers.ValidationError(f"in takes a list of at most {MOST_VALUES} values.")
    return merge_choices([read_operator(key, "eq", value, read) for value in given])


def merge_choices(choices: Sequence[Condition]) -> Condition:
    """Merges choices of one key into a single test, so that a list is one lookup."""
    tests = [one for one in choices if isinstance(one, FieldTest) and one.operator == "in"]
    if tests and len(tests) == len(choices):
        return replace(tests[0], values=tuple(value for one in tests for value in one.values))
    return AnyOf(tuple(choices))


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
