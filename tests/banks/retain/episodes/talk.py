"""Conversations with known topics, because their vectors are constructed."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from banks.types import Role, Turn
from providers.embedding.vector import Vector, normalise

START = datetime(2024, 6, 8, 12, tzinfo=UTC)
DIMENSION = 16
LONG_ENOUGH = (
    "A turn of this length is judged by its topic alone, because brevity speaks for staying where the talk is, "
    "and so would a question, a greeting or an answering word."
)
NOISE = 0.3  # gives cosines of 0.5 between topics and 0.8 to 0.9 within one, about as bge-small does


def make_turn(text: str, *, minute: float = 0, role: Role = "user", speaker: str = "Ann") -> Turn:
    return Turn(role, speaker, text, START + timedelta(minutes=minute))


def make_talk(topics: str, *, role: Role = "user") -> tuple[list[Turn], list[Vector]]:
    """Each letter is a turn, and names its topic."""
    texts = [f"{LONG_ENOUGH} Topic {topic}, part {index}." for index, topic in enumerate(topics)]
    turns = [make_turn(text, minute=index, role=role) for index, text in enumerate(texts)]
    return turns, [make_vector(topic, seed=index) for index, topic in enumerate(topics)]


def make_vector(topic: str, *, seed: int = 0) -> Vector:
    noise = np.random.default_rng(seed).normal(size=DIMENSION)
    values = noise / np.linalg.norm(noise) * NOISE
    values[0] += 1.0  # the component that all texts share
    values[1 + "ABCDE".index(topic)] += 1.0
    return normalise(values)


def spell(episodes: Sequence[int]) -> str:
    return "".join("abcdefghijkl"[episode] for episode in episodes)
