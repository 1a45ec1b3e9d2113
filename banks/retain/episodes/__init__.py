"""Runs of turns on one topic, and what they tell."""

from banks.retain.episodes.narrative import build_narrative
from banks.retain.episodes.segment import segment
from banks.retain.episodes.types import OpenEpisode, Placement, Segmentation

__all__ = [
    "OpenEpisode",
    "Placement",
    "Segmentation",
    "build_narrative",
    "segment",
]
