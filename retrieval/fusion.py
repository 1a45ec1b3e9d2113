from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal
from uuid import UUID

from retrieval.recipes import RRF_K
from retrieval.types import Channel, Hit, Place

Key = tuple[Literal["unit", "chunk"], UUID]


@dataclass(frozen=True)
class Fused:
    """A candidate at its place in the fused order, and where each channel had it."""

    kind: Literal["unit", "chunk"]
    id: UUID
    score: float
    places: Mapping[Channel, Place] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return self.kind, self.id


def fuse(lists: Mapping[Channel, Sequence[Hit]], weights: Mapping[Channel, float], *, k: float = RRF_K) -> list[Fused]:
    """RRF (formula 15): the sum of weight / (k + rank) over the channels, rank from 1; best first, ties by id.

    A channel that is not in `weights` weighs 1, and one that weighs 0 brings no candidates. What a list holds twice
    counts at its first place. The sum does not depend on the order of the channels.
    """
    places: dict[Key, dict[Channel, Place]] = {}
    for channel, hits in lists.items():
        if weights.get(channel, 1.0) > 0:
            note_places(places, channel, hits)
    fused = (
        Fused(*key, fsum(weights.get(channel, 1.0) / (k + place.rank) for channel, place in found.items()), found)
        for key, found in places.items()
    )
    return sorted(fused, key=order)


def note_places(places: dict[Key, dict[Channel, Place]], channel: Channel, hits: Sequence[Hit]) -> None:
    for rank, hit in enumerate(hits, 1):
        places.setdefault((hit.kind, hit.id), {}).setdefault(channel, Place(rank, hit.score))


def order(fused: Fused) -> tuple[float, UUID, str]:
    return -fused.score, fused.id, fused.kind
