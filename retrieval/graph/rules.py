"""The constants of spreading activation, with where they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum


class EdgeType(StrEnum):
    SEMANTIC = "semantic"
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    ENABLES = "enables"
    PREVENTS = "prevents"
    ENTITY = "entity"
    TEMPORAL = "temporal"


# Formula 12 wants causes and shared entities above 1 and the rest at most 1. With the decay all stay below 1, so that
# activation only falls along a path and the highest value of a node is its shortest strong path.
MULTIPLIERS: Mapping[EdgeType, float] = {
    EdgeType.CAUSES: 1.2,
    EdgeType.CAUSED_BY: 1.2,
    EdgeType.ENABLES: 1.2,
    EdgeType.PREVENTS: 1.2,
    EdgeType.ENTITY: 1.1,
    EdgeType.SEMANTIC: 1.0,
    EdgeType.TEMPORAL: 0.8,
}


@dataclass(frozen=True)
class SpreadRules:
    """TEMPR 3.1.3: 5 entry points at a cosine of 0.5, decay 0.8, cut-off 0.1. `frontier` nodes go on at each hop."""

    entry_points: int = 5
    least_entry_cosine: float = 0.5
    decay: float = 0.8
    cut_off: float = 0.1
    most_hops: int = 5
    frontier: int = 20
    multipliers: Mapping[EdgeType, float] = field(default_factory=lambda: MULTIPLIERS)


@dataclass(frozen=True)
class NeighbourRules:
    """How many derived neighbours a node has: the newest of each entity, the nearest in time within a day."""

    newest_of_entity: int = 20
    nearest_in_time: int = 10
    time_span: timedelta = timedelta(hours=24)
    least_time_weight: float = 0.3  # TEMPR 2.4.1
    hub: int = 10  # an entity with so many mentions gives 0.71 of what one with few gives
    most_mentions: int = 764  # with more the weight is so small that nothing above the cut-off comes over it

    @property
    def time_span_seconds(self) -> float:
        return self.time_span.total_seconds()


SPREAD = SpreadRules()
NEIGHBOURS = NeighbourRules()
