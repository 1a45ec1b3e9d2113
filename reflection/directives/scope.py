"""Which directives hold for a question: those without tags always, others where the question's tags fit theirs."""

from collections.abc import Collection

from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, Tags


def applies(tags: Collection[str], asked: TagCondition | None) -> bool:
    return not tags or (asked is not None and matches(frozenset(tags), asked))


def matches(tags: frozenset[str], condition: TagCondition) -> bool:
    """As for a memory that has these tags, of which there is at least one."""
    match condition:
        case AllOf(conditions):
            return all(matches(tags, one) for one in conditions)
        case AnyOf(conditions):
            return any(matches(tags, one) for one in conditions)
        case Not(inner):
            return not matches(tags, inner)
        case Tags():
            return matches_tags(tags, condition)


def matches_tags(tags: frozenset[str], wanted: Tags) -> bool:
    match wanted.match:
        case "any" | "any_strict":
            return not tags.isdisjoint(wanted.tags)
        case "all" | "all_strict":
            return tags.issuperset(wanted.tags)
        case "exact":
            return tags == frozenset(wanted.tags)
