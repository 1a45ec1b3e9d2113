"""A fact that was given ready is its own passage: the archive holds nothing else that it was taken from."""

from collections.abc import Container, Mapping
from dataclasses import replace
from math import fsum

from retrieval.ranking.fusion import Fused, Key
from retrieval.recipes import RRF_K
from retrieval.types import Candidate, Channel

# A turn is found by its passage as well as by itself, so where a fact stands by itself counts for both.
STANDS_FOR = {Channel.SEMANTIC: Channel.ARCHIVE, Channel.KEYWORD: Channel.ARCHIVE_WORDS}


def count_own_passages(
    fused: list[Fused],
    candidates: Mapping[Key, Candidate],
    weights: Mapping[Channel, float],
    searched: Container[Channel],
) -> list[Fused]:
    """In the order that they make when ready facts have the archive's places too: small talk, which has a passage and a
    memory of it, would else stand before them.
    """
    own = {key for key, candidate in candidates.items() if candidate.is_own_passage}
    stands_for = {channel: archive for channel, archive in STANDS_FOR.items() if archive in searched}
    if not own or not stands_for:
        return fused
    counted = [count_own_passage(one, stands_for, weights) if one.key in own else one for one in fused]
    return sorted(counted, key=lambda one: (-one.score, one.id.int, one.kind))


def count_own_passage(fused: Fused, stands_for: Mapping[Channel, Channel], weights: Mapping[Channel, float]) -> Fused:
    own = {archive: fused.places[channel] for channel, archive in stands_for.items() if channel in fused.places}
    places = {**own, **fused.places}
    score = fsum([weights[channel] / (RRF_K + place.rank) for channel, place in places.items()])
    return replace(fused, score=score, places=places)
