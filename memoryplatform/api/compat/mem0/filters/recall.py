"""As much of a filter as recall can follow while it searches. The rest is asked of what it found."""

from dataclasses import dataclass, replace

from memoryplatform.api.compat.mem0.filters import conditions as asked
from memoryplatform.api.compat.mem0.filters.units import TOLD
from retrieval.filters.types import AllOf, AnyOf, Filters, Not, TagCondition, Tags, TimeRange


@dataclass(frozen=True)
class Narrowed:
    """`is_exact`: nothing is left to be asked afterwards."""

    filters: Filters
    is_exact: bool


def narrow(condition: asked.Condition) -> Narrowed:
    narrowed = Narrowed(Filters(networks=TOLD), is_exact=True)
    for one in asked.list_conjuncts(condition):
        filters = add(narrowed.filters, one)
        narrowed = replace(narrowed, filters=filters) if filters else replace(narrowed, is_exact=False)
    return narrowed


def add(filters: Filters, condition: asked.Condition) -> Filters | None:
    match condition:
        case asked.HasValue(key, (value,)) if key not in filters.metadata:
            return replace(filters, metadata={**filters.metadata, key: value})
        case asked.Between("mentioned_at", start, end) if filters.mentioned == TimeRange():
            return replace(filters, mentioned=TimeRange(start, end))
    tags = read_tags(condition)
    if tags is None:
        return None
    return replace(filters, tags=tags if filters.tags is None else AllOf((filters.tags, tags)))


def read_tags(condition: asked.Condition) -> TagCondition | None:
    """None where it asks for something else than whole tags."""
    match condition:
        case asked.HasLabel():
            return Tags(condition.tags, "any_strict")
        case asked.Not(inner):
            tags = read_tags(inner)
            return None if tags is None else Not(tags)
        case asked.AllOf(conditions) | asked.AnyOf(conditions):
            parts = tuple(part for one in conditions if (part := read_tags(one)) is not None)
            if len(parts) < len(conditions):
                return None
            return AllOf(parts) if isinstance(condition, asked.AllOf) else AnyOf(parts)
    return None
