"""mem0's filters as a tree of conditions, and the operators that each key takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api import filter_grammar
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, write_value
from memoryplatform.api.compat.mem0.owners import KINDS, read_owner
from memoryplatform.api.compat.mem0.timestamps import read_day, read_extent
from memoryplatform.api.filter_grammar import (
    PRESENT,
    SEARCHES,
    TEXT,
    TEXT_OR_EMPTY,
    Bounds,
    Grammar,
    UnsupportedOperator,
    choose_bounds,
    get_metadata_bounds,
    get_range_bounds,
    require_operator,
)
from retrieval.filters.types import AllOf, AnyOf, Metadata, Tree

COMPARISONS = ("eq", *filter_grammar.COMPARISONS)
# mem0's created_at is the time of the message, which the caller may set with `timestamp`.
COLUMNS = {"created_at": "mentioned_at", "timestamp": "mentioned_at", "updated_at": "updated_at"}


@dataclass(frozen=True)
class FieldTest:
    """A test of one field: a column of the memory, a `tag` of the kind `key`, a `category`, or the `metadata` with the
    expiration date.

    `values` are the choices of `in`, the text of `contains` and `icontains`, or the start and the exclusive end of
    `between`, where None is open.
    """

    field: str
    operator: Literal["in", "present", "contains", "icontains", "between"]
    values: tuple[Any, ...] = ()
    key: str = ""

    @property
    def tags(self) -> tuple[str, ...]:
        """The choices as whole tags: `user:alice`, `category:food`."""
        return tuple(f"{self.key}:{name}" for name in self.values)


Test = FieldTest | Metadata
Condition = Tree[Test]
EVERYTHING: Condition = AllOf(())
Read = Callable[[str, str, Any], Condition]


def read_id(key: str, operator: str, value: Any) -> Condition:
    if operator == "eq":
        return FieldTest("tag", "in", (read_owner(key, value).name,), KINDS[key])
    return read_search("tag", KINDS[key], operator, value)


def read_category(_key: str, operator: str, value: Any) -> Condition:
    """mem0's categories are a list, so `contains` means one member."""
    if operator in ("eq", "contains"):
        return FieldTest("category", "in", (TEXT.run_validation(value),), "category")
    return read_search("category", "category", operator, value)


def read_metadata_value(key: str, operator: str, value: Any) -> Condition:
    """`key` is a metadata key. A list or an object is compared as JSON."""
    if operator == "eq" and isinstance(value, str | list | dict):
        return Metadata(key, "in", (TEXT_OR_EMPTY.run_validation(write_value(value)),))
    return filter_grammar.read_metadata(key, operator, value)


def read_search(field: str, key: str, operator: str, value: Any) -> Condition:
    """Any value, or a part of one."""
    if operator == PRESENT:
        return FieldTest(field, "present", (), key)
    if operator in SEARCHES:
        return FieldTest(field, SEARCHES[operator], (TEXT.run_validation(value),), key)
    raise UnsupportedOperator(operator)


def read_time(key: str, operator: str, value: Any) -> Condition:
    if operator == PRESENT:
        return FieldTest(COLUMNS[key], "between", (None, None))
    require_operator(operator, COMPARISONS)
    return FieldTest(COLUMNS[key], "between", choose_bounds(operator, *read_extent(value)))


def read_expiration(_key: str, operator: str, value: Any) -> Condition:
    """Days are compared as text, which suits ISO 8601."""
    if operator == PRESENT:
        return FieldTest("metadata", "present", (), EXPIRATION)
    require_operator(operator, COMPARISONS)
    day = read_day(value)
    end = (day + timedelta(days=1)).isoformat() if day < day.max else None
    return FieldTest("metadata", "between", choose_bounds(operator, day.isoformat(), end), EXPIRATION)


def read_keywords(_key: str, operator: str, value: Any) -> Condition:
    require_operator(operator, ("eq", *SEARCHES))
    return FieldTest("text", SEARCHES.get(operator, "icontains"), (TEXT.run_validation(value),))


def read_memory_id(key: str, operator: str, value: Any) -> Condition:
    require_operator(operator, ("eq",))
    return FieldTest("id", "in", (read_uuid(key, value),))


def read_uuid(name: str, given: Any) -> UUID:
    try:
        return UUID(given)
    except (ValueError, TypeError, AttributeError):
        raise serializers.ValidationError(f"{name} should be a valid UUID") from None


FIELDS: dict[str, Read] = {
    **dict.fromkeys(KINDS, read_id),
    **dict.fromkeys(COLUMNS, read_time),
    "categories": read_category,
    "expiration_date": read_expiration,
    "keywords": read_keywords,
    "memory_ids": read_memory_id,
    "id": read_memory_id,
}


def merge_choices(choices: Sequence[Condition]) -> Condition:
    """Merges choices of one key into a single test, so that a list is one lookup."""
    tests = [one for one in choices if isinstance(one, FieldTest | Metadata) and one.operator == "in"]
    if tests and len(tests) == len(choices):
        return replace(tests[0], values=tuple(value for one in tests for value in one.values))
    return AnyOf(tuple(choices))


def get_bounds(condition: Condition) -> Bounds | None:
    match condition:
        case Metadata():
            return get_metadata_bounds(condition)
        case FieldTest(operator="between", values=(start, end)):
            return get_range_bounds(start, end)
    return None


GRAMMAR: Grammar[Test] = Grammar(
    FIELDS, read_metadata_value, merge_choices, get_bounds, any_value="*", takes_objects=True
)
