"""The history of an opinion: its revisions replayed give the stored row; revisions and evidence change together."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from django.db.models import F, Q, QuerySet

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.claims import Verdict
from reflection.opinions.confidence import move
from reflection.opinions.revisions import read_revisions

Cause = OpinionRevision.Cause
Stance = Literal["for", "against", "former"]

Mark = MemoryUnit.Review
REVIEWS: dict[str, str] = {Cause.APPROVED: Mark.APPROVED.value, Cause.PINNED: Mark.PINNED.value, Cause.UNPINNED: ""}
MOVING = {*OpinionRevision.EVIDENTIAL, Cause.REVISED}
FORMATION = 1  # the number of the first revision
OPPOSING = (Cause.WEAKEN, Cause.CONTRADICT)


@dataclass(frozen=True)
class OpinionState:
    """A restoration gives back the review mark that the opinion had at its retirement."""

    text: str = ""
    confidence: float = 0.0
    review: str = ""
    mark_before_retirement: str = ""


def replay(revisions: Sequence[OpinionRevision]) -> OpinionState:
    """In the order of their numbers."""
    state = OpinionState()
    for revision in revisions:
        state = follow(state, revision)
    return state


def follow(state: OpinionState, revision: OpinionRevision) -> OpinionState:
    """A withdrawn revision changes nothing, and neither does the revision that withdrew it."""
    cause = Cause(revision.cause)
    if cause is Cause.FORMED:
        return replace(state, text=revision.text_after, confidence=revision.confidence_after)
    if cause is Cause.EDITED:
        return follow_edit(state, revision)
    if cause in MOVING:
        return state if revision.withdrawn else follow_move(state, revision)
    return follow_mark(state, cause)


def follow_edit(state: OpinionState, revision: OpinionRevision) -> OpinionState:
    """An edit of the text alone leaves the confidence to the other revisions, and the other way round."""
    if revision.text_before != revision.text_after:
        state = replace(state, text=revision.text_after)
    is_set = revision.confidence_before != revision.confidence_after
    return replace(state, confidence=revision.confidence_after) if is_set else state


def follow_move(state: OpinionState, revision: OpinionRevision) -> OpinionState:
    """A verdict counts with its step. Its rewording counts where it was made from the present text: one made from a
    withdrawn text goes with that. An empty text was removed with a deleted fact.

    A text that no person wrote ends an approval.
    """
    cause = Cause(revision.cause)
    text, confidence = revision.text_after, revision.confidence_after
    if cause is not Cause.REVISED:
        text = text if text and revision.text_before == state.text else state.text
        confidence = move(state.confidence, Verdict(cause), step=revision.step or 0.0)
    review = "" if text != state.text and state.review == Mark.APPROVED else state.review
    return replace(state, text=text, confidence=confidence, review=review)


def follow_mark(state: OpinionState, cause: OpinionRevision.Cause) -> OpinionState:
    if cause in REVIEWS:
        return replace(state, review=REVIEWS[cause])
    if cause is Cause.RETIRED and state.review != Mark.RETIRED:
        return replace(state, review=Mark.RETIRED.value, mark_before_retirement=state.review)
    if cause is Cause.RESTORED:
        return replace(state, review=find_restored_mark(state), mark_before_retirement="")
    if cause is Cause.REOPENED:
        return replace(state, review=state.review if state.review == Mark.RETIRED else "", mark_before_retirement="")
    return state


def find_restored_mark(state: OpinionState) -> str:
    """A retired opinion gets its former mark back. An opinion that gave way to another kept its own."""
    return state.mark_before_retirement if state.review == Mark.RETIRED else state.review


def filter_worded(revisions: QuerySet[OpinionRevision]) -> QuerySet[OpinionRevision]:
    """Revisions that may give an opinion a text: all that `find_wording_step` needs, and few of a long history."""
    return revisions.filter(Q(number=FORMATION) | ~Q(text_before=F("text_after"))).order_by("number")


def find_wording_step(revisions: Sequence[OpinionRevision]) -> int:
    """The number of the revision that gave the opinion its present text; 0 where none did.

    A revision without evidence only rephrased the text.
    """
    state, number = OpinionState(), 0
    for revision in revisions:
        after = follow(state, revision)
        is_rephrasing = revision.cause == Cause.REVISED and revision.evidence_id is None
        if after.text != state.text and not is_rephrasing:
            number = revision.number
        state = after
    return number


def find_stance(revision: OpinionRevision, wording_step: int, *, text: str) -> Stance:
    """How the evidence of a revision stands to the present text.

    The evidence that brought this text speaks for it. A withdrawn verdict on another text is former evidence.
    """
    is_outgrown = revision.withdrawn and revision.cause in OpinionRevision.EVIDENTIAL and revision.text_before != text
    if revision.number < wording_step or is_outgrown:
        return "former"
    return "against" if revision.number > wording_step and revision.cause in OPPOSING else "for"


CHANGED = ("withdrawn", "reasoning", "text_before", "text_after", "evidence")


@dataclass(frozen=True, eq=False)
class History:
    """The revisions of an opinion, and their evidence by revision. Rows are changed in place; `save` stores them."""

    bank: Bank
    revisions: list[OpinionRevision]
    grounds: defaultdict[UUID, list[RevisionEvidence]]

    @property
    def rows(self) -> list[RevisionEvidence]:
        return [row for rows in self.grounds.values() for row in rows]

    def list_standing(self, revision: OpinionRevision) -> list[RevisionEvidence]:
        """The evidence that still supports the revision."""
        return [row for row in self.grounds[revision.id] if row.bears and row.fact_id and not row.taken_back]

    def read_facts(self) -> list[str]:
        """The texts of all remaining facts that any revision saw.

        Opinions that lost evidence themselves are left out: their texts may repeat it.
        """
        ids = {row.fact_id for row in self.rows if row.fact_id and not row.taken_back}
        lost = RevisionEvidence.objects.of_bank(self.bank).deleted().values("opinion_id")
        units = MemoryUnit.objects.of_bank(self.bank).filter(id__in=ids).exclude(id__in=lost)
        return list(units.values_list("text", flat=True))

    def list_withdrawn(self) -> frozenset[int]:
        """Numbers of revisions."""
        return frozenset(revision.number for revision in self.revisions if revision.withdrawn)

    def find_misplaced(self) -> set[int]:
        """Numbers of verdicts on another text than the one that stood at their place."""
        state, found = OpinionState(), set[int]()
        for revision in self.revisions:
            if is_standing_verdict(revision) and revision.text_before != state.text:
                found.add(revision.number)
            state = follow(state, revision)
        return found

    def withdraw_rows(self, lost: Collection[UUID]) -> list[OpinionRevision]:
        """Withdraws these evidence rows, and every revision that no other evidence supports.

        Returns the revisions that may repeat a deleted fact: their reasoning is removed, their wording is in question.
        """
        doubtful = []
        for revision in self.revisions:
            rows = [row for row in self.grounds[revision.id] if row.id in lost]
            if not rows:
                continue
            for row in rows:
                row.taken_back = True
            standing = self.list_standing(revision)
            if standing:
                revision.evidence_id = standing[0].fact_id
            elif revision.cause in MOVING:
                revision.withdrawn = True
            if any(row.fact_id is None for row in rows):
                revision.reasoning = ""
                doubtful.append(revision)
        return doubtful

    def withdraw_verdicts(self, numbers: Collection[int]) -> list[RevisionEvidence]:
        """Returns their evidence, which may be weighed again."""
        verdicts = [revision for revision in self.revisions if revision.number in numbers]
        freed = [row for revision in verdicts for row in self.list_standing(revision)]
        for revision in verdicts:
            revision.withdrawn = True
        for row in freed:
            row.taken_back = True
        return freed

    def save(self) -> None:
        tenant_id = self.bank.tenant_id
        OpinionRevision.objects.for_tenant(tenant_id).bulk_update(self.revisions, CHANGED)
        over = [row.id for row in self.rows if row.taken_back]
        RevisionEvidence.objects.for_tenant(tenant_id).filter(id__in=over).update(taken_back=True)


def read_history(bank: Bank, opinion_id: UUID) -> History:
    """Call inside a tenant transaction, after `lock_memory`."""
    grounds: defaultdict[UUID, list[RevisionEvidence]] = defaultdict(list)
    for row in RevisionEvidence.objects.of_bank(bank).filter(opinion_id=opinion_id).order_by("id"):
        grounds[row.revision_id].append(row)
    return History(bank, read_revisions(bank, opinion_id), grounds)


def is_standing_verdict(revision: OpinionRevision) -> bool:
    return revision.cause in OpinionRevision.EVIDENTIAL and not revision.withdrawn
