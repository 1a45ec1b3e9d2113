"""A naive reference implementation of the filters."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from retrieval.filters.types import (
    AllOf,
    AnyOf,
    Condition,
    Entities,
    Filters,
    Happened,
    Leaf,
    Metadata,
    Not,
    TagCondition,
    Tags,
    TimeRange,
    list_leaves,
)
from retrieval.types import PointInTime


@dataclass(frozen=True)
class Said:
    """The fields of a unit that filters read."""

    network: str
    mentioned_at: datetime
    recorded_at: datetime
    tags: frozenset[str] = frozenset()
    metadata: dict[str, str] = field(default_factory=dict)
    entities: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    expired_at: datetime | None = None
    close_reason: str = ""


def passes(unit: Said, filters: Filters, moment: PointInTime) -> bool:
    return (
        is_visible(unit, moment)
        and (not filters.networks or unit.network in filters.networks)
        and (filters.tags is None or (may_see(unit.tags, filters.tags) and has_tags(unit.tags, filters.tags)))
        and all(unit.metadata.get(key) == value for key, value in filters.metadata.items())
        and (not filters.entities or bool(unit.entities & {name.lower() for name in filters.entities}))
        and (not filters.document_ids or bool(unit.documents & set(filters.document_ids)))
        and occurred_in(unit, filters.occurred)
        and is_in(unit.mentioned_at, filters.mentioned)
        and (filters.where is None or (may_see_tree(unit.tags, filters.where) and satisfies(unit, filters.where)))
    )


def may_see_tree(tags: frozenset[str], condition: Condition) -> bool:
    leaves = [leaf for leaf in list_leaves(condition) if isinstance(leaf, Tags)]
    return not leaves or may_see(tags, AllOf(tuple(leaves)))


def satisfies(unit: Said, condition: Condition) -> bool:
    match condition:
        case AllOf(conditions):
            return all(satisfies(unit, one) for one in conditions)
        case AnyOf(conditions):
            return any(satisfies(unit, one) for one in conditions)
        case Not(inner):
            return not satisfies(unit, inner)
        case _:
            return satisfies_leaf(unit, condition)


def satisfies_leaf(unit: Said, leaf: Leaf) -> bool:
    match leaf:
        case Tags():
            return matches(unit.tags, leaf)
        case Metadata():
            return leaf.key in unit.metadata and tests_value(unit.metadata[leaf.key], leaf)
        case Entities(names):
            return bool(unit.entities & {name.lower() for name in names}) if names else bool(unit.entities)
        case Happened("mentioned", wanted):
            return is_in(unit.mentioned_at, wanted)
        case Happened(_, wanted):
            return unit.occurred_start is not None and occurred_in(unit, wanted)


def tests_value(value: str, leaf: Metadata) -> bool:
    """The values of the tests are whole numbers and days."""
    operand = leaf.values[0] if leaf.values else ""
    match leaf.operator:
        case "in":
            return value in leaf.values
        case "exists":
            return True
        case "contains" | "icontains":
            return str(operand) in value
    if isinstance(operand, str):
        return "-" in value and compare(value, operand, leaf.operator)
    number = value.removeprefix("json:")
    return number.isdecimal() and compare(int(number), int(operand), leaf.operator)


def compare(value: Any, operand: Any, operator: str) -> bool:
    return bool(
        {"gt": value > operand, "gte": value >= operand, "lt": value < operand, "lte": value <= operand}[operator]
    )


def may_see(tags: frozenset[str], condition: TagCondition) -> bool:
    """A unit derived from memories with different tags is visible only to a scope that names its special tag."""
    marks = {"formed:under-several-tags", "observed:under-several-tags"}
    return not (tags & marks) - list_named(condition)


def list_named(condition: TagCondition) -> set[str]:
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            return {tag for one in conditions for tag in list_named(one)}
        case Not(inner):
            return list_named(inner)
        case Tags(tags):
            return set(tags)


def has_tags(tags: frozenset[str], condition: TagCondition) -> bool:
    match condition:
        case AllOf(conditions):
            return all(has_tags(tags, one) for one in conditions)
        case AnyOf(conditions):
            return any(has_tags(tags, one) for one in conditions)
        case Not(inner):
            return not has_tags(tags, inner)
        case Tags():
            return matches(tags, condition)


def matches(tags: frozenset[str], wanted: Tags) -> bool:
    asked = set(wanted.tags)
    meanings = {
        "any": not tags or bool(tags & asked),
        "all": not tags or tags >= asked,
        "any_strict": bool(tags & asked),
        "all_strict": bool(tags) and tags >= asked,
        "exact": tags == asked,
    }
    return meanings[wanted.match]


def occurred_in(unit: Said, wanted: TimeRange) -> bool:
    if wanted == TimeRange():
        return True
    if unit.occurred_start is None:
        return False
    moments = [unit.occurred_start]
    if wanted.start is not None and unit.occurred_end is not None and unit.occurred_start < wanted.start:
        moments += [wanted.start] if unit.occurred_end > wanted.start else []
    return any(is_in(moment, wanted) for moment in moments)


def is_in(moment: datetime, wanted: TimeRange) -> bool:
    return (wanted.start is None or moment >= wanted.start) and (
        wanted.end is None or moment < wanted.end or moment == wanted.start == wanted.end
    )


def is_visible(unit: Said, moment: PointInTime) -> bool:
    """See docs/adr/0009 for both moments together."""
    if moment.known_at is not None:
        if unit.recorded_at > moment.known_at:
            return False
        if unit.expired_at is not None and unit.expired_at > moment.known_at:
            unit = reopen(unit)
    if moment.as_of is not None:
        begun = unit.valid_from is None or unit.valid_from <= moment.as_of
        not_over = unit.valid_until is None or moment.as_of < unit.valid_until
        if not (begun and not_over) or unit.close_reason == "correction":
            return False
    if moment.history or moment.as_of is not None:
        return True
    if moment.known_at is not None:
        return unit.expired_at is None
    return unit.expired_at is None and (unit.valid_until is None or unit.valid_until > datetime.now(UTC))


def reopen(unit: Said) -> Said:
    return Said(**{**vars(unit), "valid_until": None, "expired_at": None, "close_reason": ""})
