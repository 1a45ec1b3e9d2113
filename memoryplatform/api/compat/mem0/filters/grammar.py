"""Reading a filter: a flat object is a conjunction; AND, OR and NOT nest; a value may be an object of operators."""

from collections.abc import Mapping, Sequence, Sized
from typing import Any

from rest_framework import serializers

from memoryplatform.api.any_json import check_json
from memoryplatform.api.compat.mem0.errors import naming
from memoryplatform.api.compat.mem0.filters.conditions import (
    EVERYTHING,
    AllOf,
    AnyOf,
    Condition,
    HasAnyLabel,
    HasLabel,
    HasValue,
    IsOneOf,
    LabelContains,
    Not,
    walk,
)
from memoryplatform.api.compat.mem0.filters.fields import FIELDS, PRESENT, Read, read_value_of
from memoryplatform.api.compat.mem0.owners import KINDS

DEEPEST = 10
MOST_CONDITIONS = 100
MOST_VALUES = 1_000  # of one list
OPERATORS = {"eq", "ne", "in", "gt", "gte", "lt", "lte", "contains", "icontains"}
JOINS = {"AND", "OR", "NOT"}


def read_filters(given: Any) -> Condition:
    with naming("filters"):
        if not isinstance(given, Mapping):
            raise serializers.ValidationError("Must be an object.")
        check_json(given)
        return check_size(read_object(given, depth=1) if given else EVERYTHING)


def read_beside(name: str, key: str, value: Any) -> Condition:
    """What stands beside the filters, under a name of its own."""
    with naming(name):
        check_json(value)
        return check_size(read_key(key, value, depth=1))


def check_size(condition: Condition) -> Condition:
    if sum(1 for _ in walk(condition)) > MOST_CONDITIONS:
        raise serializers.ValidationError(f"Must have no more than {MOST_CONDITIONS} conditions.")
    return condition


def require_somebody(condition: Condition) -> Condition:
    """Nothing is listed, searched or deleted without saying whose: memories of all are asked for with a `*`."""
    kinds = set(KINDS.values())
    for one in walk(condition):
        if isinstance(one, HasLabel | HasAnyLabel | LabelContains) and one.kind in kinds:
            return condition
    raise serializers.ValidationError(f"One of the filters: {', '.join(KINDS)} is required!")


def read_object(given: Any, *, depth: int) -> Condition:
    if not isinstance(given, Mapping) or depth > DEEPEST:
        raise serializers.ValidationError(f"Conditions are objects, at most {DEEPEST} deep.")
    require_some(given)
    parts = tuple(read_entry(key, value, depth=depth) for key, value in given.items())
    return parts[0] if len(parts) == 1 else AllOf(parts)


def read_entry(key: str, value: Any, *, depth: int) -> Condition:
    with naming(key):
        return read_key(key, value, depth=depth)


def read_key(key: str, value: Any, *, depth: int) -> Condition:
    if key.upper() in JOINS:
        return read_join(key.upper(), value, depth=depth)
    if key == "metadata":
        return read_metadata_filter(value)
    if key not in FIELDS:
        raise serializers.ValidationError("Is no key of a filter.")
    return read_asked(key, value, FIELDS[key])


def read_join(join: str, value: Any, *, depth: int) -> Condition:
    children = value if isinstance(value, list) else [value]
    require_some(children)
    conditions = tuple(read_object(child, depth=depth + 1) for child in children)
    if join == "AND":
        return AllOf(conditions)
    return AnyOf(conditions) if join == "OR" else Not(AnyOf(conditions))


def require_some(given: Sized) -> None:
    """An empty one would hold for everything, where most likely the value that should limit it is missing."""
    if not given:
        raise serializers.ValidationError("Must not be empty.")


def read_metadata_filter(given: Any) -> Condition:
    """Of an object that is no list of operators, equality is asked for."""
    if not isinstance(given, Mapping):
        raise serializers.ValidationError("Must be an object.")
    require_some(given)
    return AllOf(tuple(read_value_asked(key, value) for key, value in given.items()))


def read_value_asked(key: str, value: Any) -> Condition:
    asks = isinstance(value, Mapping) and value and set(value) <= OPERATORS
    with naming(key):
        return read_asked(key, value, read_value_of) if asks else read_operator(key, "eq", value, read_value_of)


def read_asked(key: str, given: Any, read: Read) -> Condition:
    if isinstance(given, list):
        return read_operator(key, "in", given, read)
    if not isinstance(given, Mapping):
        return read_operator(key, "eq", given, read)
    unknown = sorted(set(given) - OPERATORS)
    if unknown or not given:
        raise serializers.ValidationError(f"Has no operator {', '.join(unknown)}.")
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
        raise serializers.ValidationError(f"in wants a list of at most {MOST_VALUES}.")
    return join_same([read_operator(key, "eq", value, read) for value in given])


def join_same(choices: Sequence[Condition]) -> Condition:
    """A list of names is one look-up, not one for each."""
    match choices:
        case [HasLabel(kind, _), *_] if all(isinstance(one, HasLabel) for one in choices):
            return HasLabel(kind, tuple(name for one in choices for name in getattr(one, "names", ())))
        case [HasValue(key, _), *_] if all(isinstance(one, HasValue) for one in choices):
            return HasValue(key, tuple(value for one in choices for value in getattr(one, "values", ())))
        case [IsOneOf(_), *_]:
            return IsOneOf(tuple(one_id for one in choices for one_id in getattr(one, "ids", ())))
    return AnyOf(tuple(choices))
