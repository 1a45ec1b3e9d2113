"""mem0's filters as a tree of conditions, and the operators that each key takes."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, Union
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.compat.mem0.metadata import EXPIRATION, write_value
from memoryplatform.api.compat.mem0.owners import KINDS, read_owner
from memoryplatform.api.compat.mem0.timestamps import read_day, read_extent

PRESENT = "*"
COMPARISONS = ("eq", "gt", "gte", "lt", "lte")
SEARCHES: dict[str, Literal["contains", "icontains"]] = {"contains": "contains", "icontains": "icontains"}
TEXT = serializers.CharField(max_length=500, trim_whitespace=False)
TEXT_OR_EMPTY = serializers.CharField(max_length=500, trim_whitespace=False, allow_blank=True)
KEY = serializers.CharField(max_length=100)
# mem0's created_at is the time of the message, which the caller may set with `timestamp`.
COLUMNS = {"created_at": "mentioned_at", "timestamp": "mentioned_at", "updated_at": "updated_at"}


@dataclass(frozen=True)
class FieldTest:
    """A test of one field: a column of the memory, a `tag` of the kind `key`, a `category`, or `metadata` under `key`.

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


@dataclass(frozen=True)
class AllOf:
    conditions: tuple["Condition", ...]


@dataclass(frozen=True)
class AnyOf:
    conditions: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    condition: "Condition"


Condition = Union[FieldTest, AllOf, AnyOf, Not]  # noqa: UP007  # the names are quoted, and | can't join strings
EVERYTHING = AllOf(())


def walk(condition: Condition) -> Iterator[Condition]:
    yield condition
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            for one in conditions:
                yield from walk(one)
        case Not(inner):
            yield from walk(inner)


def list_conjuncts(condition: Condition) -> list[Condition]:
    """The conditions of a conjunction, flattened."""
    if isinstance(condition, AllOf):
        return [part for one in condition.conditions for part in list_conjuncts(one)]
    return [condition]


Read = Callable[[str, str, Any], Condition]


class UnsupportedOperator(serializers.ValidationError):
    def __init__(self, operator: str) -> None:
        super().__init__(f"Can't be filtered with {operator}.")


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
    """`key` is a metadata key."""
    name = KEY.run_validation(key)
    if operator == "eq":
        return FieldTest("metadata", "in", (TEXT_OR_EMPTY.run_validation(write_value(value)),), name)
    return read_search("metadata", name, operator, value)


def read_search(field: str, key: str, operator: str, value: Any) -> Condition:
    """The operators that tags and metadata share: any value, or a part of one."""
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


def choose_bounds(operator: str, start: Any, end: Any) -> tuple[Any, Any]:
    """The range that a comparison with the extent from `start` to `end` selects."""
    bounds = {"eq": (start, end), "gt": (end, None), "gte": (start, None), "lt": (None, start), "lte": (None, end)}
    return bounds[operator]


def read_keywords(_key: str, operator: str, value: Any) -> Condition:
    require_operator(operator, ("eq", *SEARCHES))
    return FieldTest("text", SEARCHES.get(operator, "icontains"), (TEXT.run_validation(value),))


def read_memory_id(key: str, operator: str, value: Any) -> Condition:
    require_operator(operator, ("eq",))
    return FieldTest("id", "in", (read_uuid(key, value),))


def require_operator(operator: str, known: Collection[str]) -> None:
    if operator not in known:
        raise UnsupportedOperator(operator)


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
