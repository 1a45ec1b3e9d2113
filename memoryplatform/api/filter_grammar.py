"""The grammar of filters, which recall and mem0's routes share. Each has its own fields.

A flat object is a conjunction. `and`, `or` and `not` nest, in capitals or not. The value of a field is a single value,
a list of choices, or an object of operators: `{"metadata": {"priority": {"gte": 3}}, "not": {"tags": ["draft"]}}`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Generic, Literal, TypeVar

from rest_framework import serializers

from memoryplatform.api.serializers import check_json, prefix_faults
from retrieval.filters.tree import MARK
from retrieval.filters.types import AllOf, AnyOf, Metadata, Not, Tree

DEEPEST_FILTER = 10
MOST_CONDITIONS = 100
MOST_VALUES = 1_000  # of one list
MOST_VALUES_OF_ALL = 2_000
PRESENT = "exists"
Comparison = Literal["gt", "gte", "lt", "lte"]
COMPARISONS: dict[str, Comparison] = {"gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte"}
SEARCHES: dict[str, Literal["contains", "icontains"]] = {"contains": "contains", "icontains": "icontains"}
OPERATORS = {"eq", "ne", "in", "nin", "exists", *COMPARISONS, *SEARCHES}
JOINS = {"AND", "OR", "NOT"}
TEXT = serializers.CharField(max_length=500, trim_whitespace=False)
TEXT_OR_EMPTY = serializers.CharField(max_length=500, trim_whitespace=False, allow_blank=True)
KEY = serializers.CharField(max_length=100, trim_whitespace=False)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
LOWER, UPPER = ("gt", "gte"), ("lt", "lte")

L = TypeVar("L")
Read = Callable[[str, str, Any], Tree[L]]  # field or metadata key, operator, value
Bound = tuple[Any, int]  # ordered: the second part tells an exclusive from an inclusive bound of the same value
Bounds = tuple[Bound | None, Bound | None]  # a window is empty if its lower bound is not below its upper one


class UnsupportedOperator(serializers.ValidationError):
    def __init__(self, operator: str) -> None:
        super().__init__(f"Can't be filtered with {operator}.")


@dataclass(frozen=True)
class Grammar(Generic[L]):
    """`merge` joins the choices of one list. `get_bounds` reads the window of a comparison; None for other leaves.

    `any_value` is a value that means any, as mem0's `*`. With `takes_objects` a metadata value may be an object, which
    is compared for equality.
    """

    fields: Mapping[str, Read[L]]
    read_metadata: Read[L]
    merge: Callable[[Sequence[Tree[L]]], Tree[L]]
    get_bounds: Callable[[Tree[L]], Bounds | None]
    any_value: str | None = None
    takes_objects: bool = False

    def read(self, given: Any) -> Tree[L]:
        """Raises a ValidationError with the path of the fault."""
        if not isinstance(given, Mapping):
            raise serializers.ValidationError("Must be an object.")
        check_json(given)
        check_values(given)
        return check_size(self.read_condition(given, depth=1))

    def read_field(self, key: str, value: Any) -> Tree[L]:
        """One field with its value, outside of an object."""
        check_json(value)
        check_values(value)
        return check_size(self.read_key(key, value, depth=1))

    def read_condition(self, given: Any, *, depth: int) -> Tree[L]:
        if not isinstance(given, Mapping) or depth > DEEPEST_FILTER:
            raise serializers.ValidationError(f"Conditions are objects, at most {DEEPEST_FILTER} deep.")
        require_not_empty(given)
        parts = tuple(self.read_entry(key, value, depth=depth) for key, value in given.items())
        return join_all(parts)

    def read_entry(self, key: str, value: Any, *, depth: int) -> Tree[L]:
        with prefix_faults(key):
            return self.read_key(key, value, depth=depth)

    def read_key(self, key: str, value: Any, *, depth: int) -> Tree[L]:
        if key.upper() in JOINS:
            return self.read_join(key.upper(), value, depth=depth)
        if key == "metadata":
            return self.read_metadata_object(value)
        if key not in self.fields:
            raise serializers.ValidationError("Unknown filter key.")
        return self.read_operators(key, value, self.fields[key])

    def read_join(self, join: str, value: Any, *, depth: int) -> Tree[L]:
        """`not` with a list: none of them."""
        children = value if isinstance(value, list) else [value]
        require_not_empty(children)
        conditions = tuple(self.read_condition(child, depth=depth + 1) for child in children)
        if join == "AND":
            return AllOf(conditions)
        return AnyOf(conditions) if join == "OR" else Not(AnyOf(conditions))

    def read_metadata_object(self, given: Any) -> Tree[L]:
        if not isinstance(given, Mapping):
            raise serializers.ValidationError("Must be an object.")
        require_not_empty(given)
        return join_all([self.read_metadata_entry(key, value) for key, value in given.items()])

    def read_metadata_entry(self, key: str, value: Any) -> Tree[L]:
        with prefix_faults(key):
            name = KEY.run_validation(key)
            has_operators = isinstance(value, Mapping) and value and set(value) <= OPERATORS
            if self.takes_objects and not has_operators:
                return self.read_operator(name, "eq", value, self.read_metadata)
            return self.read_operators(name, value, self.read_metadata)

    def read_operators(self, key: str, given: Any, read: Read[L]) -> Tree[L]:
        if isinstance(given, list):
            return self.read_operator(key, "in", given, read)
        if not isinstance(given, Mapping):
            return self.read_operator(key, "eq", given, read)
        unknown = sorted(set(given) - OPERATORS)
        if unknown or not given:
            raise serializers.ValidationError(f"Unknown operator {', '.join(unknown)}.")
        parts = tuple(self.read_operator(key, operator, value, read) for operator, value in given.items())
        check_window([bounds for part in parts if (bounds := self.get_bounds(part)) is not None])
        return join_all(parts)

    def read_operator(self, key: str, operator: str, value: Any, read: Read[L]) -> Tree[L]:
        if operator == "ne":
            return Not(self.read_operator(key, "eq", value, read))
        if operator in {"in", "nin"}:
            choices = self.read_list(key, operator, value, read)
            return choices if operator == "in" else Not(choices)
        if operator == PRESENT:
            return self.read_presence(key, value, read)
        if operator == "eq" and (value is None or value == self.any_value):
            return self.read_presence(key, value is not None, read)
        return read(key, operator, value)

    def read_presence(self, key: str, value: Any, read: Read[L]) -> Tree[L]:
        if not isinstance(value, bool):
            raise serializers.ValidationError("exists takes true or false.")
        present = read(key, PRESENT, None)
        return present if value else Not(present)

    def read_list(self, key: str, operator: str, given: Any, read: Read[L]) -> Tree[L]:
        if not isinstance(given, list) or len(given) > MOST_VALUES:
            raise serializers.ValidationError(f"{operator} takes a list of at most {MOST_VALUES} values.")
        return self.merge([self.read_operator(key, "eq", value, read) for value in given])


def join_all(parts: Sequence[Tree[L]]) -> Tree[L]:
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def walk(condition: Tree[L]) -> Iterator[Tree[L]]:
    yield condition
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            for one in conditions:
                yield from walk(one)
        case Not(inner):
            yield from walk(inner)


def check_values(given: Any) -> None:
    """Counts before the conditions are read, so that a huge filter costs little."""
    count, level = 0, [given]
    while level and count <= MOST_VALUES_OF_ALL:
        inner = [one for part in level for one in (part.values() if isinstance(part, Mapping) else part)]
        level = [one for one in inner if isinstance(one, Mapping | list)] if inner else []
        count += len(inner) - len(level)
    if count > MOST_VALUES_OF_ALL:
        raise serializers.ValidationError(f"Must have no more than {MOST_VALUES_OF_ALL} values in all conditions.")


def check_size(condition: Tree[L]) -> Tree[L]:
    if sum(1 for _ in walk(condition)) > MOST_CONDITIONS:
        raise serializers.ValidationError(f"Must have no more than {MOST_CONDITIONS} conditions.")
    return condition


def require_not_empty(given: Sized) -> None:
    """An empty condition would match everything, and most likely its value is missing."""
    if not given:
        raise serializers.ValidationError("Must not be empty.")


def require_operator(operator: str, known: Collection[str]) -> None:
    if operator not in known:
        raise UnsupportedOperator(operator)


def check_window(windows: Sequence[Bounds]) -> None:
    """The comparisons of one field. All compare with values of one kind, and their window is not empty."""
    lower = [start for start, _ in windows if start is not None]
    upper = [end for _, end in windows if end is not None]
    if len({isinstance(value, str) for value, _ in (*lower, *upper)}) > 1:
        raise serializers.ValidationError("Compare either with numbers or with dates.")
    if lower and upper and max(lower) >= min(upper):
        raise serializers.ValidationError("Ends before it starts.")


def choose_bounds(operator: str, start: Any, end: Any) -> tuple[Any, Any]:
    """The range that a comparison with the extent from `start` to `end` selects."""
    bounds = {"eq": (start, end), "gt": (end, None), "gte": (start, None), "lt": (None, start), "lte": (None, end)}
    return bounds[operator]


def read_text(field: serializers.CharField, value: Any) -> str:
    if not isinstance(value, str):
        raise serializers.ValidationError("Must be a text.")
    text: str = field.run_validation(value)
    return text


def read_metadata(key: str, operator: str, value: Any) -> Metadata:
    if operator == "eq":
        return Metadata(key, "in", list_written_forms(value))
    if operator == PRESENT:
        return Metadata(key, "exists")
    if operator in SEARCHES:
        return Metadata(key, SEARCHES[operator], (read_text(TEXT, value),))
    return read_comparison(key, operator, value)


def list_written_forms(value: Any) -> tuple[str, ...]:
    """A text as it is. A number or a boolean is stored as its text, or as JSON behind a mark by mem0's routes."""
    if isinstance(value, str):
        return (read_text(TEXT_OR_EMPTY, value),)
    if isinstance(value, bool):
        forms = ["true" if value else "false"]
    elif isinstance(value, int | float):
        forms = [str(value)]
        if value == int(value):
            forms = [str(int(value)), f"{int(value)}.0"]
    else:
        raise serializers.ValidationError("Must be a text, a number, true, false or null.")
    return tuple(mark + form for form in forms for mark in ("", MARK))


def read_comparison(key: str, operator: str, value: Any) -> Metadata:
    """A plain day is the whole day: `lte` includes it and `gt` begins after it."""
    require_operator(operator, COMPARISONS)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Metadata(key, COMPARISONS[operator], (value,))
    if isinstance(value, str) and DAY.match(value):
        return compare_days(key, COMPARISONS[operator], read_text(TEXT, value))
    raise serializers.ValidationError(f"{operator} compares with a number or a date (2026-05-18), not with a text.")


def compare_days(key: str, operator: Comparison, text: str) -> Metadata:
    if not DAY.fullmatch(text) or operator in {"gte", "lt"}:
        return Metadata(key, operator, (text,))
    try:
        following = (date.fromisoformat(text) + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        raise serializers.ValidationError(f"{text} is not a day of the calendar.") from None
    return Metadata(key, "gte" if operator == "gt" else "lt", (following,))


def get_metadata_bounds(leaf: Metadata) -> Bounds | None:
    if leaf.operator in LOWER:
        return (leaf.values[0], int(leaf.operator == "gt")), None
    if leaf.operator in UPPER:
        return None, (leaf.values[0], int(leaf.operator == "lte"))
    return None


def get_range_bounds(start: Any, end: Any) -> Bounds:
    """Of a range with an exclusive end, open where None."""
    return None if start is None else (start, 0), None if end is None else (end, 0)
