"""The history of an opinion for a reader: its steps with their evidence, the sentences behind it, and a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.enums import Network
from banks.models import Bank, MemoryUnit, UnitSource
from memoryplatform.dashboard.documents import passage_address
from memoryplatform.dashboard.memory import conversation_address
from memoryplatform.dashboard.texts import Part, compare, mark_excerpt
from memoryplatform.operations.memories.described_units import read_sources
from memoryplatform.operations.opinions.shown import (
    Evidence,
    ShownRevision,
)
from reflection.models import OpinionRevision
from reflection.opinions.history import FORMATION

MOST_SOURCES = 3  # sentences of one piece of evidence
BESIDE = 160  # characters of a source on both sides of the quoted words
UNMOVED = 0.005  # shows as 0.00
WIDEST_GAP = 4.0  # between two points of the chart, in hundredths of its width
Cause = OpinionRevision.Cause
STEP_WORDS = {  # title and kind of the point
    Cause.FORMED: ("Formed", "formed"),
    Cause.RESTATED: ("Said again", "reinforce"),
    Cause.REVISED: ("Changed its mind", "formed"),
    Cause.REINFORCE: ("Reinforced", "reinforce"),
    Cause.WEAKEN: ("Weakened", "weaken"),
    Cause.CONTRADICT: ("Contradicted", "contradict"),
    Cause.WITHDRAWN: ("Evidence withdrawn", "withdrawn"),
    Cause.REOPENED: ("Former wording is back", "formed"),
    Cause.EDITED: ("Edited", "person"),
    Cause.APPROVED: ("Approved", "person"),
    Cause.PINNED: ("Pinned", "person"),
    Cause.UNPINNED: ("Unpinned", "person"),
    Cause.RETIRED: ("Retired", "person"),
    Cause.RESTORED: ("Restored", "person"),
}


@dataclass(frozen=True)
class Quote:
    """A sentence that a memory came from, marked in its message or document, and where to find it."""

    speaker: str
    said_at: datetime | None
    parts: list[Part]
    address: str = ""
    document: str = ""


@dataclass(frozen=True)
class ShownEvidence:
    evidence: Evidence
    quotes: list[Quote]
    more_quotes: int

    @property
    def noun(self) -> str:
        return "statement" if self.evidence.unit.network == Network.OPINION else "memory"

    @property
    def outlived_on(self) -> datetime | None:
        """The end of a memory that still counts, because it was true when it was judged."""
        unit = self.evidence.unit
        is_over = unit.expired_at is not None and unit.close_reason == MemoryUnit.CloseReason.UPDATE
        return (unit.valid_until or unit.expired_at) if is_over and not self.evidence.taken_back else None


@dataclass(frozen=True)
class Step:
    """A revision with its evidence. `is_by_person`: a review. `wording` shows a change of the text."""

    shown: ShownRevision
    title: str
    kind: str
    evidence: list[ShownEvidence]
    wording: list[Part]
    is_by_person: bool

    @property
    def revision(self) -> OpinionRevision:
        return self.shown.revision

    @property
    def moved(self) -> float:
        before = self.revision.confidence_before
        return find_move(self.revision.confidence_after - before) if before is not None else 0.0


@dataclass(frozen=True)
class Point:
    """A step of the chart, in hundredths of its width and height. Its confidence holds until `until`."""

    step: Step
    x: float
    y: float
    former_y: float
    until: float

    @property
    def width(self) -> float:
        return self.until - self.x

    @property
    def height(self) -> float:
        return 100 - self.y

    @property
    def rise_top(self) -> float:
        return min(self.y, self.former_y)


def find_move(moved: float) -> float:
    return moved if abs(moved) >= UNMOVED else 0.0


def build_steps(bank: Bank, shown: Sequence[ShownRevision]) -> list[Step]:
    """One statement for the sources of all evidence."""
    sources = read_sources(bank, [one.unit.id for step in shown for one in step.evidence])
    return [
        Step(
            one,
            *STEP_WORDS[Cause(one.revision.cause)],
            [show_evidence(bank, each, sources[each.unit.id], one.revision.opinion_id) for each in one.evidence],
            compare(one.revision.text_before, one.revision.text_after)
            if one.revision.number > FORMATION and one.revision.text_before != one.revision.text_after
            else [],
            one.revision.cause in OpinionRevision.BY_PEOPLE,
        )
        for one in shown
    ]


def show_evidence(bank: Bank, evidence: Evidence, sources: Sequence[UnitSource], opinion_id: UUID) -> ShownEvidence:
    quotes = [quote for source in sources if (quote := quote_source(bank, source, opinion_id))]
    return ShownEvidence(evidence, quotes[:MOST_SOURCES], max(0, len(quotes) - MOST_SOURCES))


def quote_source(bank: Bank, source: UnitSource, opinion_id: UUID) -> Quote | None:
    """None for a source that is neither a message nor a piece of a document."""
    if source.message:
        message = source.message
        return Quote(
            message.speaker,
            message.said_at,
            mark_excerpt(message.content, source.start, source.end, beside=BESIDE),
            address=conversation_address(bank, source, message, came_from=opinion_id),
        )
    if source.chunk:
        document = source.chunk.document.document_id if source.chunk.document else "Text"
        return Quote(
            "",
            source.chunk.said_at,
            mark_excerpt(source.chunk.text, source.start, source.end, beside=BESIDE),
            address=passage_address(bank, source, source.chunk, came_from=opinion_id),
            document=document,
        )
    return None


def place_points(steps: Sequence[Step], end: datetime) -> list[Point]:
    """Points stand by time, but never so near to each other that one covers another."""
    if not steps:
        return []
    moments = [one.revision.created_at for one in steps]
    span = max((end - moments[0]).total_seconds(), 1.0)
    gap = min(WIDEST_GAP, 90 / len(steps))
    places: list[float] = []
    for moment in moments:
        x = (moment - moments[0]).total_seconds() / span * 100
        places.append(max(x, places[-1] + gap) if places else 0.0)
    most = 97.0
    for index in reversed(range(len(places))):
        places[index] = max(0.0, min(places[index], most))
        most = places[index] - gap
    heights = [100 - 100 * one.revision.confidence_after for one in steps]
    return [
        Point(step, place, height, heights[index - 1] if index else height, [*places[1:], 100.0][index])
        for index, (step, place, height) in enumerate(zip(steps, places, heights, strict=True))
    ]
