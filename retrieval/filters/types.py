from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Union

from banks.enums import Network

# any and all let units without tags pass; the strict forms do not; exact wants these tags and no others.
TagMatch = Literal["any", "all", "any_strict", "all_strict", "exact"]


@dataclass(frozen=True)
class Tags:
    tags: tuple[str, ...]
    match: TagMatch = "any"


@dataclass(frozen=True)
class AllOf:
    conditions: tuple["TagCondition", ...]


@dataclass(frozen=True)
class AnyOf:
    conditions: tuple["TagCondition", ...]


@dataclass(frozen=True)
class Not:
    condition: "TagCondition"


TagCondition = Union[Tags, AllOf, AnyOf, Not]  # noqa: UP007  # the names are quoted, and | can't join strings


@dataclass(frozen=True)
class TimeRange:
    """[start, end), open where None. Equal ends mean that moment."""

    start: datetime | None = None
    end: datetime | None = None

    @property
    def is_moment(self) -> bool:
        return self.start is not None and self.start == self.end


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
