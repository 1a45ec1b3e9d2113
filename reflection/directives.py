"""Directives: rules of a bank that its answers must follow. A directive is no memory."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank
from reflection.models import Directive
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, Tags

HEADING = """\
Directives
Each of these rules holds for your answer, whatever the question, your memory or your disposition suggests. Where two \
of them can't both be kept, the earlier one holds. They are about the answer: the dividing line and the JSON object \
stay as described."""


@dataclass(frozen=True)
class AppliedDirective:
    """A directive that applies to a question."""

    id: UUID
    name: str
    content: str


def read_directives(bank: Bank, asked: TagCondition | None, *, applies_all: bool) -> tuple[AppliedDirective, ...]:
    """The directives for a question with these tags, or all active ones, the highest priority first."""
    rows = Directive.objects.of_bank(bank).active().by_priority()
    return tuple(
        AppliedDirective(row.id, row.name, row.content) for row in rows if applies_all or applies_to(row.tags, asked)
    )


def applies_to(tags: Collection[str], asked: TagCondition | None) -> bool:
    """A directive without tags always applies, others if the tags of the question match theirs."""
    return not tags or (asked is not None and matches(frozenset(tags), asked))


def matches(tags: frozenset[str], condition: TagCondition) -> bool:
    """As for a memory that has these tags. Precondition: there is at least one."""
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


def write_directives(directives: Sequence[AppliedDirective]) -> str:
    """For the system message, which holds no text of memory."""
    rules = [write_directive(number, one) for number, one in enumerate(directives, 1)]
    return "\n".join([HEADING, *rules])


def write_directive(number: int, directive: AppliedDirective) -> str:
    name = " ".join(directive.name.split())
    return f"{number}. {name}: " + directive.content.strip().replace("\n", "\n   ")
