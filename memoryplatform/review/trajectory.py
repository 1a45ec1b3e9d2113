"""The way of an opinion's confidence, as places on a small plot."""

from collections.abc import Sequence
from dataclasses import dataclass

from reflection.models import OpinionRevision

WIDTH, HEIGHT = 480, 150
LEFT, RIGHT, TOP, BOTTOM = 34, 14, 12, 22


@dataclass(frozen=True)
class Place:
    x: float
    y: float
    step: OpinionRevision


@dataclass(frozen=True)
class Level:
    y: float
    label: str


@dataclass(frozen=True)
class Trajectory:
    places: tuple[Place, ...]
    levels: tuple[Level, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT

    @property
    def line(self) -> str:
        """A step holds until the next one: the line goes across, then up or down."""
        points: list[str] = []
        for place in self.places:
            points += [f"{place.x:.1f},{points[-1].partition(',')[2]}"] if points else []
            points.append(f"{place.x:.1f},{place.y:.1f}")
        return " ".join(points)


def draw_trajectory(steps: Sequence[OpinionRevision]) -> Trajectory:
    """In the order of their numbers, at even distances."""
    places = tuple(
        Place(place_x(number, len(steps)), place_y(step.confidence_after), step) for number, step in enumerate(steps)
    )
    return Trajectory(places, tuple(Level(place_y(level), f"{level:.1f}") for level in (0.0, 0.5, 1.0)))


def place_x(number: int, count: int) -> float:
    return round(LEFT + 10 + (WIDTH - LEFT - RIGHT - 20) * number / max(1, count - 1), 1)


def place_y(confidence: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * confidence, 1)
