from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, TypeVar, Union

from banks.enums import Network

# any and all let units without tags pass; the strict forms do not; exact wants these tags and no others.
TagMatch = Literal["any", "all", "any_strict", "all_strict", "exact"]


@dataclass(frozen=True)
class Tags:
    tags: tuple[str, ...]
    match: TagMatch = "any"


@dataclass(frozen=True)
class TimeRange:
    """[start, end), open where None. Equal ends mean that moment."""

    start: datetime | None = None
    end: datetime | None = None

    @property
    def is_moment(self) -> bool:
        return self.start is not None and self.start == self.end


@dataclass(frozen=True)
class Metadata:
    """A test of the value under a key. A memory without the key does not pass.

    `values` are the choices of `in`, or the one operand of the others. A comparison takes a number, or a day or time in
    ISO 8601, and passes only values of the same kind.
    """

    key: str
    operator: Literal["in", "exists", "contains", "icontains", "gt", "gte", "lt", "lte"]
    values: tuple[str | int | float, ...] = ()


@dataclass(frozen=True)
class Entities:
    """The unit mentions one of the names; without names, any entity."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Happened:
    """The time lies in the range; in an open range, the unit has such a time."""

    column: Literal["occurred", "mentioned"]
    range: TimeRange = field(default_factory=TimeRange)


L = TypeVar("L")
C_co = TypeVar("C_co", covariant=True)


@dataclass(frozen=True)
class AllOf(Generic[C_co]):
    conditions: tuple[C_co, ...]


@dataclass(frozen=True)
class AnyOf(Generic[C_co]):
    conditions: tuple[C_co, ...]


@dataclass(frozen=True)
class Not(Generic[C_co]):
    condition: C_co


# The names are quoted, and | can't join strings.
Tree = Union[L, "AllOf[Tree[L]]", "AnyOf[Tree[L]]", "Not[Tree[L]]"]
TagCondition = Tree[Tags]
Leaf = Tags | Metadata | Entities | Happened
Condition = Tree[Leaf]


def list_leaves(condition: Tree[L]) -> Iterator[L]:
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            for one in conditions:
                yield from list_leaves(one)
        case Not(inner):
            yield from list_leaves(inner)
        case _:
            yield condition


@dataclass(frozen=True)
class Filters:
    """Every condition must hold. An empty condition lets every unit pass."""

    networks: tuple[Network, ...] = ()
    tags: TagCondition | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    entities: tuple[str, ...] = ()  # names; a unit must mention one of them
    occurred: TimeRange = field(default_factory=TimeRange)
    mentioned: TimeRange = field(default_factory=TimeRange)
    document_ids: tuple[str, ...] = ()
    where: Condition | None = None

    @property
    def are_by_tags(self) -> bool:
        """A tag decides about a unit, alone or among other conditions."""
        in_tree = self.where is not None and any(isinstance(leaf, Tags) for leaf in list_leaves(self.where))
        return self.tags is not None or in_tree
