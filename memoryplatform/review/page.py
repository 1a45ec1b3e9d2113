"""All that stands on an opinion's own page, read as its tenant: the wall holds here too."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank, UnitSource
from memoryplatform.operations.bank_profile import BankAccess, get_bank
from memoryplatform.operations.described_units import read_sources
from memoryplatform.operations.opinions import Evidence, ShownOpinion, find_revisions, get_opinion, show
from memoryplatform.review.trajectory import Trajectory, draw_trajectory
from reflection.models import OpinionRevision
from tenants.transactions import tenant_transaction

MOST_STEPS = 200  # the newest; the list of revisions has all
MOST_EVIDENCE = 100


@dataclass(frozen=True)
class SourcedEvidence:
    """A fact with the messages and chunks that it was read from."""

    evidence: Evidence
    sources: tuple[UnitSource, ...]


@dataclass(frozen=True)
class OpinionPage:
    shown: ShownOpinion
    evidence: tuple[SourcedEvidence, ...]
    steps: tuple[OpinionRevision, ...]  # the newest first
    trajectory: Trajectory

    @property
    def said_in(self) -> list[UnitSource]:
        """The messages that it was heard in: what an opinion of retain rests on."""
        return [source for source in self.shown.listed.described.sources if source.message]

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
        steps = list(find_revisions(bank, opinion_id).order_by("-number")[:MOST_STEPS])
        evidence = read_sourced(bank, shown.evidence[::-1][:MOST_EVIDENCE])
    return OpinionPage(shown, evidence, tuple(steps), draw_trajectory(steps[::-1]))


def read_sourced(bank: Bank, evidence: Sequence[Evidence]) -> tuple[SourcedEvidence, ...]:
    sources = read_sources(bank, [one.unit.id for one in evidence])
    return tuple(SourcedEvidence(one, tuple(sources[one.unit.id])) for one in evidence)
