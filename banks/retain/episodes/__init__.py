"""Runs of turns on one topic, and what they tell."""

from banks.retain.episodes.narration import Narration, narrate_with_llm
from banks.retain.episodes.narrative import build_narrative
from banks.retain.episodes.segment import segment
from banks.retain.episodes.thresholds import Thresholds
from banks.retain.episodes.types import OpenEpisode, Placement, Segmentation

__all__ = [
    "Narration",
    "OpenEpisode",
    "Placement",
    "Segmentation",
    "Thresholds",
    "build_narrative",
    "narrate_with_llm",
    "segment",
]
