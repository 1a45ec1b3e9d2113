"""Reciprocal rank fusion of the channels (formula 15)."""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Literal, TypeVar
from uuid import UUID

from retrieval.types import Candidate, Channel, Hit, Place

# RRF (Cormack 2009): sum of 1 / (k + rank), rank from 1. The channels' lists are short and their first places are good:
# the usual k of 60, which makes the first place worth little more than the tenth, finds less. docs/benchmarks-log.md.
RRF_K = 15
Key = tuple[Literal["unit", "chunk"], UUID]
Share = tuple[float, Channel, int, Hit]  # a channel's part of the sum, and its rank for the row
Ranked = TypeVar("Ranked", bound=Hashable)
# A turn is found by its chunk as well as by itself. A ready-made fact has no chunk: its own rank counts for both.
STANDS_FOR = {Channel.SEMANTIC: Channel.ARCHIVE, Channel.KEYWORD: Channel.ARCHIVE_WORDS}


@dataclass(frozen=True)
class FusedRow:
    """A row in the fused order, with its rank in each channel."""

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
) -> list[FusedRow]:
    """The `most` best by the sum of weight / (k + rank) over the channels, rank from 1; ties by id.

    A channel that is not in `weights` has weight 1; one with weight 0 adds nothing. A row twice in a list counts
    at its first place. The sum does not depend on the order of the channels.
    """
    shares: dict[tuple[str, int], list[Share]] = {}
    for channel, hits in lists.items():
        weight = weights.get(channel, 1.0)
        if weight > 0:
            add_shares(shares, channel, hits, [weight / (k + rank) for rank in range(1, len(hits) + 1)])
    scored = [(-fsum([share[0] for share in found]), key, found) for key, found in shares.items()]
    best = sorted(scored, key=by_score)[:most]
    return [build_fused(-negative, found) for negative, _, found in best]


def add_shares(
    shares: dict[tuple[str, int], list[Share]], channel: Channel, hits: Sequence[Hit], values: Sequence[float]
) -> None:
    """By the integers of the ids, which compare in a fifth of the time that UUIDs take."""
    for rank, (hit, value) in enumerate(zip(hits, values, strict=True), 1):
        key = (hit.kind, hit.id.int)
        found = shares.get(key)
        if found is None:
            shares[key] = [(value, channel, rank, hit)]
        elif found[-1][1] is not channel:
            found.append((value, channel, rank, hit))


def by_score(scored: tuple[float, tuple[str, int], object]) -> tuple[float, int, str]:
    negative, (kind, number), _ = scored
    return negative, number, kind


def build_fused(score: float, shares: Sequence[Share]) -> FusedRow:
    hit = shares[0][-1]
    return FusedRow(hit.kind, hit.id, score, {channel: Place(rank, own.score) for _, channel, rank, own in shares})


def count_own_passages(
    fused: list[FusedRow],
    candidates: Mapping[Key, Candidate],
    weights: Mapping[Channel, float],
    searched: Container[Channel],
) -> list[FusedRow]:
    """The fused order with the archive's ranks for ready-made facts. Otherwise small talk, which is found by its chunk
    and by itself, would stand before them.
    """
    own = {key for key, candidate in candidates.items() if candidate.is_own_passage}
    stands_for = {channel: archive for channel, archive in STANDS_FOR.items() if archive in searched}
    if not own or not stands_for:
        return fused
    counted = [count_own_passage(one, stands_for, weights) if one.key in own else one for one in fused]
    return sorted(counted, key=lambda one: (-one.score, one.id.int, one.kind))


def count_own_passage(
    fused: FusedRow, stands_for: Mapping[Channel, Channel], weights: Mapping[Channel, float]
) -> FusedRow:
    own = {archive: fused.places[channel] for channel, archive in stands_for.items() if channel in fused.places}
    places = {**own, **fused.places}
    score = fsum([weights[channel] / (RRF_K + place.rank) for channel, place in places.items()])
    return replace(fused, score=score, places=places)


def add_reciprocal_ranks(orders: Iterable[Iterable[Ranked]]) -> dict[Ranked, float]:
    """Plain RRF: the sum of 1 / (k + rank) over the orders, each best first, rank from 1."""
    sums: dict[Ranked, float] = {}
    for order in orders:
        for rank, found in enumerate(order, 1):
            sums[found] = sums.get(found, 0.0) + 1 / (RRF_K + rank)
    return sums
