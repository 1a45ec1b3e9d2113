"""The page of one opinion: its evidence, its history, and how its confidence developed."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.enums import Network
from banks.models import UnitSource
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.described_units import read_sources
from memoryplatform.operations.opinions.shown import (
    Evidence,
    ShownOpinion,
    ShownRevision,
    find_revisions,
    get_opinion,
    show,
    show_revisions,
)
from reflection.models import OpinionRevision
from reflection.opinions.history import OPPOSING

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
        """A step line: a confidence holds until the next revision."""
        points: list[str] = []
        for place in self.places:
            points += [f"{place.x:.1f},{points[-1].partition(',')[2]}"] if points else []
            points.append(f"{place.x:.1f},{place.y:.1f}")
        return " ".join(points)


def draw_trajectory(steps: Sequence[OpinionRevision]) -> Trajectory:
    """In the order of their numbers, evenly spaced."""
    places = tuple(
        Place(place_x(number, len(steps)), place_y(step.confidence_after), step) for number, step in enumerate(steps)
    )
    return Trajectory(places, tuple(Level(place_y(level), f"{level:.1f}") for level in (0.0, 0.5, 1.0)))


def place_x(number: int, count: int) -> float:
    return round(LEFT + 10 + (WIDTH - LEFT - RIGHT - 20) * number / max(1, count - 1), 1)


def place_y(confidence: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * confidence, 1)


MOST_STEPS = 200  # the newest; the list of revisions has all
MOST_EVIDENCE = 100
FORMER = "former"


@dataclass(frozen=True)
class SourcedEvidence:
    """A fact with its source messages and chunks."""

    evidence: Evidence
    sources: tuple[UnitSource, ...]

    @property
    def is_statement(self) -> bool:
        return self.evidence.unit.network == Network.OPINION

    @property
    def bearing(self) -> str:
        """A verdict against the former text that brought the present one supports it."""
        is_rewording = self.evidence.stance == "for" and self.evidence.bearing in OPPOSING
        return "supports" if is_rewording else self.evidence.bearing


@dataclass(frozen=True)
class OpinionPage:
    shown: ShownOpinion
    evidence: tuple[SourcedEvidence, ...]
    steps: tuple[ShownRevision, ...]  # the newest first
    trajectory: Trajectory

    @property
    def present(self) -> list[SourcedEvidence]:
        return [one for one in self.evidence if one.evidence.stance != FORMER]

    @property
    def former(self) -> list[SourcedEvidence]:
        return [one for one in self.evidence if one.evidence.stance == FORMER]

    @property
    def said(self) -> list[UnitSource]:
        """The messages and chunks in which the agent said it."""
        return [source for source in self.shown.listed.described.sources if source.message or source.chunk]

    @property
    def said_in(self) -> list[UnitSource]:
        """The messages and chunks of the present text."""
        if not self.shown.is_reworded:
            return self.said
        sources = [source for one in self.present if one.is_statement for source in one.sources]
        places = {(source.message_id, source.chunk_id) for source in sources}
        return [source for source in self.said if (source.message_id, source.chunk_id) in places]

    @property
    def said_before(self) -> list[UnitSource]:
        now = self.said_in
        return [source for source in self.said if source not in now]

    @property
    def missing_steps(self) -> int:
        return max(0, self.shown.listed.revision - len(self.steps))

    @property
    def missing_evidence(self) -> int:
        return len(self.shown.evidence) - len(self.evidence)


def read_page(access: BankAccess, bank_id: str, opinion_id: UUID) -> OpinionPage:
    with bank_transaction(access, bank_id) as bank:
        shown = show(bank, get_opinion(bank, opinion_id))
        revisions = list(find_revisions(bank, opinion_id).order_by("-number")[:MOST_STEPS])
        steps = tuple(show_revisions(bank, revisions))
        newest = shown.evidence[::-1][:MOST_EVIDENCE]
        sources = read_sources(bank, [one.unit.id for one in newest])
    evidence = tuple(SourcedEvidence(one, tuple(sources[one.unit.id])) for one in newest)
    return OpinionPage(shown, evidence, steps, draw_trajectory(revisions[::-1]))
