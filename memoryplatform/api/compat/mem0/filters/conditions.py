"""The tree that a filter becomes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Union
from uuid import UUID


@dataclass(frozen=True)
class HasLabel:
    """One of these tags of this kind: `user:alice`, `category:food`."""

    kind: str
    names: tuple[str, ...]

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(f"{self.kind}:{name}" for name in self.names)


@dataclass(frozen=True)
class HasAnyLabel:
    kind: str


@dataclass(frozen=True)
class LabelContains:
    kind: str
    text: str
    ignores_case: bool


@dataclass(frozen=True)
class HasValue:
    key: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class HasKey:
    """With a value: one that is null is none."""

    key: str


@dataclass(frozen=True)
class ValueContains:
    key: str
    text: str
    ignores_case: bool


@dataclass(frozen=True)
class ValueBetween:
    """Compared as text: days as ISO 8601 writes them. Up to but not including `end`; None is open."""

    key: str
    start: str | None
    end: str | None


@dataclass(frozen=True)
class Between:
    """A time column of the memory. Up to but not including `end`; None is open."""

    column: str
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True)
class TextContains:
    text: str
    ignores_case: bool


@dataclass(frozen=True)
class IsOneOf:
    ids: tuple[UUID, ...]


@dataclass(frozen=True)
class AllOf:
    conditions: tuple["Condition", ...]


@dataclass(frozen=True)
class AnyOf:
    conditions: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    condition: "Condition"


Leaf = (
    HasLabel
    | HasAnyLabel
    | LabelContains
    | HasValue
    | HasKey
    | ValueContains
    | ValueBetween
    | Between
    | TextContains
    | IsOneOf
)
Condition = Union[Leaf, AllOf, AnyOf, Not]  # noqa: UP007  # the names are quoted, and | can't join strings
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
    """What must hold, one by one."""
    if isinstance(condition, AllOf):
        return [part for one in condition.conditions for part in list_conjuncts(one)]
    return [condition]
