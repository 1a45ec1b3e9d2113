"""What each key of a filter can be asked, and the condition that it becomes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.compat.mem0.filters.conditions import (
    Between,
    Condition,
    HasAnyLabel,
    HasKey,
    HasLabel,
    HasValue,
    IsOneOf,
    LabelContains,
    TextContains,
    ValueBetween,
    ValueContains,
)
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, write_value
from memoryplatform.api.compat.mem0.moments import read_day, read_extent
from memoryplatform.api.compat.mem0.owners import CATEGORY, KINDS, read_owner

PRESENT = "*"
COMPARISONS = ("eq", "gt", "gte", "lt", "lte")
CONTAINS = ("contains", "icontains")
TEXT = serializers.CharField(max_length=500, trim_whitespace=False)
TEXT_OR_EMPTY = serializers.CharField(max_length=500, trim_whitespace=False, allow_blank=True)
KEY = serializers.CharField(max_length=100)
# A memory is as old as what was said; `timestamp` of its caller decides, as it does there.
COLUMNS = {"created_at": "mentioned_at", "timestamp": "mentioned_at", "updated_at": "updated_at"}

Read = Callable[[str, str, Any], Condition]


class CannotAsk(serializers.ValidationError):
    def __init__(self, operator: str) -> None:
        super().__init__(f"Can't be filtered with {operator}.")


def read_id(key: str, operator: str, value: Any) -> Condition:
    kind = KINDS[key]
    if operator == PRESENT:
        return HasAnyLabel(kind)
    if operator == "eq":
        return HasLabel(kind, (read_owner(key, value).name,))
    if operator in CONTAINS:
        return LabelContains(kind, TEXT.run_validation(value), ignores_case=operator == "icontains")
    raise CannotAsk(operator)


def read_category(_key: str, operator: str, value: Any) -> Condition:
    """It is a list there, so `contains` means one of its members."""
    if operator == PRESENT:
        return HasAnyLabel(CATEGORY)
    if operator in ("eq", "contains"):
        return HasLabel(CATEGORY, (TEXT.run_validation(value),))
    if operator == "icontains":
        return LabelContains(CATEGORY, TEXT.run_validation(value), ignores_case=True)
    raise CannotAsk(operator)


def read_time(key: str, operator: str, value: Any) -> Condition:
    column = COLUMNS[key]
    if operator == PRESENT:
        return Between(column, None, None)
    if operator not in COMPARISONS:
        raise CannotAsk(operator)
    extent = read_extent(value)
    bounds = {
        "eq": (extent.start, extent.end),
        "gt": (extent.end, None),
        "gte": (extent.start, None),
        "lt": (None, extent.start),
        "lte": (None, extent.end),
    }
    return Between(column, *bounds[operator])


def read_expiration(_key: str, operator: str, value: Any) -> Condition:
    if operator == PRESENT:
        return HasKey(EXPIRATION)
    if operator not in COMPARISONS:
        raise CannotAsk(operator)
    day = read_day(value)
    start = day.isoformat()
    end = (day + timedelta(days=1)).isoformat() if day < day.max else None
    bounds = {"eq": (start, end), "gt": (end, None), "gte": (start, None), "lt": (None, start), "lte": (None, end)}
    return ValueBetween(EXPIRATION, *bounds[operator])


def read_keywords(_key: str, operator: str, value: Any) -> Condition:
    if operator in ("eq", *CONTAINS):
        return TextContains(TEXT.run_validation(value), ignores_case=operator != "contains")
    raise CannotAsk(operator)


def read_memory_id(key: str, operator: str, value: Any) -> Condition:
    if operator != "eq":
        raise CannotAsk(operator)
    return IsOneOf((read_uuid(key, value),))


def read_uuid(name: str, given: Any) -> UUID:
    try:
        return UUID(given)
    except (ValueError, TypeError, AttributeError):
        raise serializers.ValidationError(f"{name} should be a valid UUID") from None


def read_value_of(key: str, operator: str, value: Any) -> Condition:
    """`key` is that of the metadata."""
    name = KEY.run_validation(key)
    if operator == PRESENT:
        return HasKey(name)
    if operator == "eq":
        return HasValue(name, (TEXT_OR_EMPTY.run_validation(write_value(value)),))
    if operator in CONTAINS:
        return ValueContains(name, TEXT.run_validation(value), ignores_case=operator == "icontains")
    raise CannotAsk(operator)


FIELDS: dict[str, Read] = {
    **dict.fromkeys(KINDS, read_id),
    **dict.fromkeys(COLUMNS, read_time),
    "categories": read_category,
    "expiration_date": read_expiration,
    "keywords": read_keywords,
    "memory_ids": read_memory_id,
    "id": read_memory_id,
}
