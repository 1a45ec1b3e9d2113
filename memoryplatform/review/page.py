"""All that stands on an opinion's own page, read as its tenant: the wall holds here too."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank, UnitSource
from banks.words import Network
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.described_units import read_sources
from memoryplatform.operations.opinions.lists import find_revisions, get_opinion
from memoryplatform.operations.opinions.revision_evidence import ShownRevision, show_revisions
from memoryplatform.operations.opinions.shown import Evidence, ShownOpinion, show
from memoryplatform.review.trajectory import Trajectory, draw_trajectory
from reflection.opinions.history.turning import OPPOSING
from tenants.transactions import tenant_transaction

MOST_STEPS = 200  # the newest; the list of revisions has all
MOST_EVIDENCE = 100
FORMER = "former"


@dataclass(frozen=True)
class SourcedEvidence:
    """A fact with the messages and chunks that it was read from."""

    evidence: Evidence
    sources: tuple[UnitSource, ...]

    @property
    def is_telling(self) -> bool:
        return self.evidence.unit.network == Network.OPINION

    @property
    def bearing(self) -> str:
        """What opposed a former text and brought the present one supports that."""
        is_turning = self.evidence.stance == "for" and self.evidence.bearing in OPPOSING
        return "supports" if is_turning else self.evidence.bearing


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
        """Where the agent said it, in a message or a text: what an opinion of retain rests on."""
        return [source for source in self.shown.listed.described.sources if source.message or source.chunk]

    @property
    def said_in(self) -> list[UnitSource]:
        """Where it said what it thinks now: all of them, or those of tellings since its text changed."""
        if not self.shown.is_turned:
            return self.said
        sources = [source for one in self.present if one.is_telling for source in one.sources]
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
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        shown = show(bank, get_opinion(bank, opinion_id))
        revisions = list(find_revisions(bank, opinion_id).order_by("-number")[:MOST_STEPS])
        steps = tuple(show_revisions(bank, revisions))
        evidence = read_sourced(bank, shown.evidence[::-1][:MOST_EVIDENCE])
    return OpinionPage(shown, evidence, steps, draw_trajectory(revisions[::-1]))


def read_sourced(bank: Bank, evidence: Sequence[Evidence]) -> tuple[SourcedEvidence, ...]:
    sources = read_sources(bank, [one.unit.id for one in evidence])
    return tuple(SourcedEvidence(one, tuple(sources[one.unit.id])) for one in evidence)
