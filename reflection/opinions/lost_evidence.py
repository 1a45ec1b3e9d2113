"""Lost evidence: a fact was deleted or corrected, and its effect on opinions is withdrawn."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import chain
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, Subquery

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit
from banks.lifecycle.deleting import delete_units
from banks.models import Bank, MemoryUnit, UnitSource
from banks.models.unit import UnitQuerySet
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.opinions import RevisionEvidenceQuerySet
from reflection.opinions.entities import NewWording
from reflection.opinions.history import History, OpinionState, read_history, replay
from reflection.opinions.merging import merge_opinions
from reflection.opinions.revisions import Author, Before, Step, write_step
from reflection.opinions.rewording import find_with_text, reword, set_confidence
from reflection.opinions.scrubbing import REMOVED, find_removed, remove_texts

Cause = OpinionRevision.Cause
Mark = MemoryUnit.Review
ACTOR = "deletion"

DELETED = "evidence was deleted."
CORRECTED = "evidence was corrected, it never was so."
EDITED = "evidence was edited and is weighed again."
PARTED = "evidence is about another entity, which was split off, and is weighed again."
MERGED = "evidence was merged with another fact and is weighed again."
UNSUPPORTED = "All facts behind it were corrected."
WENT_BACK = "Its text went back with lost evidence, so it waits for a review."
STAYS_RETIRED = "Its text went back with lost evidence: it stays retired, and the mark that it had before is gone."

GAINING = (Cause.FORMED, Cause.RESTATED, Cause.REVISED, Cause.REINFORCE)
ALL_GONE = "All that it rested on was deleted; it stays because it is pinned."
GAINED_OR_GONE = Q(cause__in=GAINING) | Q(cause=Cause.WITHDRAWN, reasoning=ALL_GONE)


@dataclass
class Loss:
    """The lost evidence of one opinion, and its effect.

    `history` has the effect already; `state` is what the opinion goes back to. `rows` are the ids of lost evidence
    rows. `outgrown` are the numbers of withdrawn verdicts on a text that went, `removed` are the texts that went.
    """

    history: History
    why: str
    withdrawn_before: frozenset[int]
    rows: set[UUID] = field(default_factory=set)
    outgrown: set[int] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)

    @property
    def state(self) -> OpinionState:
        return replay(self.history.revisions)

    @property
    def facts(self) -> tuple[UUID, ...]:
        """The lost facts that still exist."""
        ids = (row.fact_id for row in self.history.rows if row.id in self.rows)
        return tuple(dict.fromkeys(one for one in ids if one))

    @property
    def reasoning(self) -> str:
        """As in "Takes back 2 and 3, leaves 1 standing: evidence was deleted."."""
        numbers = {one.id: one.number for one in self.history.revisions}
        withdrawn = self.history.list_withdrawn()
        lost = withdrawn - self.withdrawn_before - self.outgrown
        left = {numbers[row.revision_id] for row in self.history.rows if row.id in self.rows} - withdrawn
        parts = [f"takes back {list_numbers(lost)}"] if lost else []
        parts += [f"leaves {list_numbers(left)} standing"] if left else []
        sentence = f"{', '.join(parts)}: {self.why}" if parts else self.why
        besides = (
            f" Takes back {list_numbers(self.outgrown)} too: that was of a wording that went." if self.outgrown else ""
        )
        return f"{sentence[0].upper()}{sentence[1:]}{besides}"


def list_numbers(numbers: Collection[int]) -> str:
    *first, last = map(str, sorted(numbers))
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True)
class Withdrawn:
    """Counts of opinions: with lost evidence, waiting for a vector of their former text, pinned without any evidence
    left, and deleted because no text could stay.
    """

    opinions: int = 0
    unembedded: int = 0
    unsupported: int = 0
    deleted: int = 0

    def __add__(self, other: "Withdrawn") -> "Withdrawn":
        return Withdrawn(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def has_lost_evidence(bank: Bank) -> bool:
    return RevisionEvidence.objects.of_bank(bank).deleted().exists() or find_unsupported(bank).exists()


def withdraw_lost_evidence(bank: Bank, *, now: datetime, actor: str = ACTOR) -> Withdrawn:
    """Call inside the tenant transaction of the deletion or correction, after it and after `lock_memory`."""
    withdrawn = withdraw_evidence(bank, find_lost(bank), now=now, actor=actor)
    return withdrawn + Withdrawn(unsupported=note_unsupported(bank, actor=actor))


def withdraw_evidence(
    bank: Bank, lost: Mapping[UUID, Collection[UUID]], *, why: str = "", now: datetime, actor: str
) -> Withdrawn:
    """Withdraws the effect of evidence, `lost` being evidence rows by opinion. Each opinion gets one revision.

    Repeats until nothing is lost: an opinion that is deleted may be evidence of another. Call inside a tenant
    transaction, after `lock_memory`.
    """
    losses: dict[UUID, Loss | None] = {}
    while lost:
        for opinion_id in sorted(lost):
            losses[opinion_id] = withdraw_from_opinion(
                bank, opinion_id, lost[opinion_id], losses.get(opinion_id), why=why
            )
        lost, why = find_lost(bank), ""
    left = {opinion_id: loss for opinion_id, loss in losses.items() if loss}
    total = Withdrawn(len(losses) - len(left), deleted=len(losses) - len(left))
    for opinion in list(MemoryUnit.objects.of_bank(bank).filter(id__in=left).order_by("id")):
        total += write_withdrawal(bank, opinion, left[opinion.id], actor=actor, now=now)
    return total


def find_lost(bank: Bank) -> dict[UUID, set[UUID]]:
    """The evidence rows, by opinion, whose fact was deleted or corrected."""
    rows = RevisionEvidence.objects.of_bank(bank)
    return group_by_opinion(rows.deleted(), rows.corrected())


def group_by_opinion(*queries: RevisionEvidenceQuerySet) -> dict[UUID, set[UUID]]:
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for opinion_id, row_id in chain(*(rows.values_list("opinion_id", "id") for rows in queries)):
        found[opinion_id].add(row_id)
    return dict(found)


def withdraw_from_opinion(
    bank: Bank, opinion_id: UUID, lost: Collection[UUID], known: Loss | None, *, why: str
) -> Loss | None:
    """Changes the revisions. None: no text could stay, and the opinion is deleted. Else its row must follow.

    `known` is an earlier loss by the same deletion, which may reach an opinion through a fact and through another
    opinion. A verdict is about a text: verdicts on a text that goes are withdrawn too.
    """
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    history = read_history(bank, opinion_id)
    misplaced = history.find_misplaced()
    loss = known or Loss(history, why, history.list_withdrawn())
    doubtful = history.withdraw_rows(lost)
    formed = history.revisions[0].text_after
    vouched = formed if opinion.review == Mark.PINNED and opinion.text == formed else ""
    removed = find_removed(history, doubtful, vouched=vouched)
    remove_texts(history, opinion, removed)
    outgrown = history.find_misplaced() - misplaced
    freed = history.withdraw_verdicts(outgrown)
    history.save()
    loss.history = history
    loss.why = loss.why if loss.why == DELETED else why or (DELETED if doubtful else CORRECTED)
    loss.rows.update(lost, (row.id for row in freed))
    loss.outgrown |= outgrown
    loss.removed |= removed
    if not loss.state.text:
        delete_units(bank, {opinion_id})
        return None
    return loss


def write_withdrawal(bank: Bank, opinion: MemoryUnit, loss: Loss, *, actor: str, now: datetime) -> Withdrawn:
    state, text_before = loss.state, REMOVED if opinion.text in loss.removed else opinion.text
    before, is_reworded = Before(text_before, opinion.confidence or 0.0), opinion.text != state.text
    other = find_with_text(bank, opinion, state.text) if is_reworded and opinion.expired_at is None else None
    wording = NewWording(state.text, opinion.text)
    opinion.text = state.text
    set_confidence(opinion, state.confidence, now=now)
    if is_reworded and other is None:
        reword(bank, opinion, wording, vector=None)
    write_step(bank, opinion, before, Step(Cause.WITHDRAWN, actor, loss.reasoning, lost=loss.facts))
    reopen(bank, opinion, state, is_reworded=is_reworded, actor=actor)
    if other is not None:
        merge_opinions(Author(bank, actor, now), other, opinion)
        reword(bank, opinion, wording, vector=None)  # closed by now: only live opinions must differ in text
    elif loss.why == CORRECTED and not is_supported(bank, opinion):
        invalidate_unit(bank, opinion, Invalidation("correction", explanation=UNSUPPORTED, actor=actor))
    return Withdrawn(1, int(is_reworded and other is None))


def reopen(bank: Bank, opinion: MemoryUnit, state: OpinionState, *, is_reworded: bool, actor: str) -> None:
    """A review mark belongs to the text that a person saw. It goes with that text, by a revision of its own."""
    mark = "" if is_reworded and opinion.review in {Mark.APPROVED, Mark.PINNED} else opinion.review
    if mark == state.review and not (is_reworded and state.mark_before_retirement):
        return
    opinion.review = mark
    opinion.save(update_fields=["review"])
    why = STAYS_RETIRED if mark == Mark.RETIRED else WENT_BACK
    write_step(bank, opinion, Before.of(opinion), Step(Cause.REOPENED, actor, why))


def is_supported(bank: Bank, opinion: MemoryUnit) -> bool:
    """Whether a source is left that is not corrected. Closed and pinned opinions need none."""
    if opinion.expired_at is not None or opinion.review == Mark.PINNED:
        return True
    corrected = Q(other_unit__close_reason=MemoryUnit.CloseReason.CORRECTION)
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    return sources.filter(Q(other_unit=None) | ~corrected).exists()


def find_unsupported(bank: Bank) -> UnitQuerySet:
    """Pinned opinions that outlived all their evidence without a revision that says so."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=OuterRef("pk"))
    steps = OpinionRevision.objects.of_bank(bank).filter(GAINED_OR_GONE, opinion=OuterRef("pk")).order_by("-number")
    pinned = (
        MemoryUnit.objects.of_bank(bank).current().filter(~Exists(sources), network=Network.OPINION, review=Mark.PINNED)
    )
    return pinned.annotate(last=Subquery(steps.values("cause")[:1])).exclude(last=Cause.WITHDRAWN)


def note_unsupported(bank: Bank, *, actor: str) -> int:
    unsupported = list(find_unsupported(bank).order_by("id"))
    for opinion in unsupported:
        write_step(bank, opinion, Before.of(opinion), Step(Cause.WITHDRAWN, actor, ALL_GONE))
    return len(unsupported)


def delete_unsupported(bank: Bank, opinion_id: UUID) -> bool:
    """Deletes an opinion that stayed only for its pin, once it is unpinned and has gained no evidence since.

    Call inside a tenant transaction, after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id)
    held = MemoryUnit.objects.of_bank(bank).current().exclude(review=Mark.PINNED)
    if sources.exists() or not held.filter(id=opinion_id).exists():
        return False
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).filter(GAINED_OR_GONE)
    last = steps.order_by("-number").first()
    if last is None or last.cause != Cause.WITHDRAWN:
        return False
    delete_units(bank, {opinion_id})
    return True
