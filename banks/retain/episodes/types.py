from dataclasses import dataclass
from typing import Literal

from banks.retain.types import Turn
from providers.embedding.vector import Vector

MOST_OPEN = 8  # topics that people keep up at the same time; bounds the work a turn

Reason = Literal["first", "gap", "full", "shift", "same", "return"]


@dataclass(frozen=True, eq=False)
class OpenEpisode:
    """An episode that may go on, with all that segmentation has to know of it.

    `topic` is the sum of its turns' vectors, the recent ones weighing more; its length means nothing.
    """

    id: str | None  # the caller's; None for one that this call began
    size: int
    latest: Turn
    topic: Vector


@dataclass(frozen=True)
class Placement:
    """The turn at `turn_index` belongs to the episode at `episode` of the segmentation's list."""

    turn_index: int
    episode: int
    reason: Reason

    @property
    def begins(self) -> bool:
        return self.reason in {"first", "gap", "full", "shift"}


@dataclass(frozen=True)
class Segmentation:
    """`episodes` are the given ones in their order and then the new ones, as they stand after the last turn."""

    placements: tuple[Placement, ...]
    episodes: tuple[OpenEpisode, ...]
