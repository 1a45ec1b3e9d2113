"""All steps of one opinion with what each came from, to be changed together when evidence is lost."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.history.replay import MOVING, OpinionState, follow
from reflection.opinions.history.revisions import read_revisions

CHANGED = ("withdrawn", "reasoning", "text_before", "text_after", "evidence")


@dataclass(frozen=True, eq=False)
class History:
    """The rows are changed in place and stored by `save`."""

    bank: Bank
    revisions: list[OpinionRevision]
    grounds: dict[UUID, list[RevisionEvidence]] = field(default_factory=dict)

    def list_standing(self, revision: OpinionRevision) -> list[RevisionEvidence]:
        """What still speaks for the step."""
        rows = self.grounds.get(revision.id, ())
        return [row for row in rows if row.bears and row.fact_id and not row.taken_back]

    def read_facts(self) -> list[str]:
        """The texts of all that is left and was in view at any step.

        Not of an opinion that lost evidence itself and was not yet looked at: its words may be those of what was lost.
        """
        rows = [row for rows in self.grounds.values() for row in rows]
        ids = {row.fact_id for row in rows if row.fact_id and not row.taken_back}
        lost = RevisionEvidence.objects.of_bank(self.bank).deleted()
        unproven = OpinionRevision.objects.of_bank(self.bank).without_evidence()
        units = MemoryUnit.objects.of_bank(self.bank).filter(id__in=ids)
        sound = units.exclude(id__in=lost.values("opinion_id")).exclude(id__in=unproven.values("opinion_id"))
        return list(sound.values_list("text", flat=True))

    def save(self) -> None:
        tenant_id = self.bank.tenant_id
        OpinionRevision.objects.for_tenant(tenant_id).bulk_update(self.revisions, CHANGED)
        over = [row.id for rows in self.grounds.values() for row in rows if row.taken_back]
        RevisionEvidence.objects.for_tenant(tenant_id).filter(id__in=over).update(taken_back=True)


def read_history(bank: Bank, opinion_id: UUID) -> History:
    """Call inside a tenant transaction, after `lock_memory`."""
    grounds: defaultdict[UUID, list[RevisionEvidence]] = defaultdict(list)
    for row in RevisionEvidence.objects.of_bank(bank).filter(opinion_id=opinion_id).order_by("id"):
        grounds[row.revision_id].append(row)
    return History(bank, read_revisions(bank, opinion_id), dict(grounds))


def take_back(history: History, lost: Collection[UUID]) -> list[OpinionRevision]:
    """The rows of lost evidence are over, and so is a step that nothing else speaks for.

    Returns the steps that may hold something of what was deleted: their reasons are gone, their words are in question.
    """
    doubtful = []
    for revision in history.revisions:
        rows = [row for row in history.grounds.get(revision.id, ()) if row.id in lost]
        is_unproven = is_moved_by_nothing(revision)
        if not rows and not is_unproven:
            continue
        for row in rows:
            row.taken_back = True
        standing = history.list_standing(revision)
        if revision.cause in MOVING and not standing:
            revision.withdrawn = True
        elif standing:
            revision.evidence_id = standing[0].fact_id
        if is_unproven or any(row.fact_id is None for row in rows):
            revision.reasoning = ""
            doubtful.append(revision)
    return doubtful


def find_judging(history: History) -> set[UUID]:
    """The verdicts on the wording that stands at their place, as far as they are known."""
    state, found = OpinionState(), set[UUID]()
    for revision in history.revisions:
        if is_verdict(revision) and revision.text_before == state.text:
            found.add(revision.id)
        state = follow(state, revision)
    return found


def take_back_outgrown(history: History, judging: Collection[UUID]) -> list[RevisionEvidence]:
    """A verdict on a wording that went is over with it: evidence bears on a text. `judging` are those that judged what
    stood before anything was lost. Returns their evidence, which can be weighed anew.
    """
    state, freed = OpinionState(), list[RevisionEvidence]()
    for revision in history.revisions:
        if revision.id in judging and is_verdict(revision) and revision.text_before != state.text:
            revision.withdrawn = True
            freed += history.list_standing(revision)
        state = follow(state, revision)
    for row in freed:
        row.taken_back = True
    return freed


def is_verdict(revision: OpinionRevision) -> bool:
    return revision.cause in OpinionRevision.EVIDENTIAL and not revision.withdrawn


def is_moved_by_nothing(revision: OpinionRevision) -> bool:
    """Its fact was deleted: all that tells it of a step from an old export, which has no rows of evidence."""
    return revision.cause in OpinionRevision.EVIDENTIAL and revision.evidence_id is None and not revision.withdrawn
