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


def fuse(
    lists: Mapping[Channel, Sequence[Hit]],
    weights: Mapping[Channel, float],
    *,
    k: float = RRF_K,
    most: int | None = None,
) -> list[Fused]:
    """RRF (formula 15): the sum of weight / (k + rank) over the channels, rank from 1; best first, ties by id.

    A channel that is not in `weights` weighs 1, and one that weighs 0 brings no candidates. What a list holds twice
    counts at its first place. The sum does not depend on the order of the channels. At most the `most` best.
    """
    places: dict[Key, dict[Channel, Place]] = {}
    for channel, hits in lists.items():
        if weights.get(channel, 1.0) > 0:
            note_places(places, channel, hits)
    scored = [
        (-fsum([weights.get(channel, 1.0) / (k + place.rank) for channel, place in found.items()]), key, found)
        for key, found in places.items()
    ]
    best = sorted(scored, key=order)[:most]
    return [Fused(*key, -negative, found) for negative, key, found in best]


def note_places(places: dict[Key, dict[Channel, Place]], channel: Channel, hits: Sequence[Hit]) -> None:
    for rank, (kind, row_id, score) in enumerate(hits, 1):
        places.setdefault((kind, row_id), {}).setdefault(channel, Place(rank, score))


def order(scored: tuple[float, Key, object]) -> tuple[float, UUID, str]:
    negative, (kind, row_id), _ = scored
    return negative, row_id, kind
