"""Evidence was lost, and with it goes what it did: confidence, wording, and the reasons that quoted it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.lifecycle.delete import delete_units
from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.models import Bank, MemoryUnit, UnitSource
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.forming.uniting import Union, unite
from reflection.opinions.history.bereft import find_bereft, note_bereft
from reflection.opinions.history.losses import (
    CORRECTED,
    DELETED,
    Loss,
    find_facts,
    find_over,
    find_touched,
    unite_losses,
)
from reflection.opinions.history.replay import OpinionState, replay
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.rewording import find_with_words, reword, set_confidence
from reflection.opinions.history.scrubbing import REMOVED, find_removed, remove_texts
from reflection.opinions.history.steps import find_judging, read_history, take_back, take_back_outgrown
from reflection.opinions.naming_anew import NewWords

Cause = OpinionRevision.Cause
Mark = MemoryUnit.Review
ACTOR = "deletion"
GROUNDLESS = "All that it rested on was corrected."
WENT_BACK = "Its text went back with lost evidence, so it waits for a review."
STAYS_RETIRED = "Its text went back with lost evidence: it stays retired, and the mark that it had before is gone."


@dataclass(frozen=True)
class Withdrawn:
    """How many opinions lost evidence, and how many of them wait for a vector of the text that they went back to.

    `bereft` are pinned ones that have no evidence left, `deleted` those of which no text could stay.
    """

    opinions: int = 0
    unembedded: int = 0
    bereft: int = 0
    deleted: int = 0

    def __add__(self, other: "Withdrawn") -> "Withdrawn":
        return Withdrawn(
            self.opinions + other.opinions,
            self.unembedded + other.unembedded,
            self.bereft + other.bereft,
            self.deleted + other.deleted,
        )


def has_lost_evidence(bank: Bank) -> bool:
    """Call inside a tenant transaction."""
    rows = RevisionEvidence.objects.of_bank(bank)
    is_lost = rows.deleted().exists() or OpinionRevision.objects.of_bank(bank).without_evidence().exists()
    return is_lost or find_bereft(bank).exists()


def withdraw_lost_evidence(bank: Bank, *, now: datetime, actor: str = ACTOR) -> Withdrawn:
    """Call inside the tenant transaction of the deletion or correction, after it and after `lock_memory`.

    Again until nothing is lost: an opinion that goes may be what another came from. What one deletion did to an opinion
    is one step, however it came to it. A few queries if nothing is lost.
    """
    losses: dict[UUID, Loss] = {}
    gone: set[UUID] = set()
    while lost := find_lost(bank):
        for opinion_id in sorted(lost):
            loss, known = settle(bank, opinion_id, lost[opinion_id]), losses.pop(opinion_id, None)
            if loss is None:
                gone.add(opinion_id)
            else:
                losses[opinion_id] = unite_losses(known, loss) if known else loss
    total = Withdrawn(len(gone), deleted=len(gone)) + go_all_back(bank, losses, actor=actor, now=now)
    return total + Withdrawn(bereft=note_bereft(bank, actor=actor))


def go_all_back(bank: Bank, losses: Mapping[UUID, Loss], *, actor: str, now: datetime) -> Withdrawn:
    total = Withdrawn()
    for opinion in list(MemoryUnit.objects.of_bank(bank).filter(id__in=losses).order_by("id")):
        total += go_back(bank, opinion, losses[opinion.id], actor=actor, now=now)
    return total


def find_lost(bank: Bank) -> dict[UUID, set[UUID]]:
    """The rows of lost evidence by opinion: none where its steps came without rows."""
    lost: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for rows in (RevisionEvidence.objects.of_bank(bank).deleted(), RevisionEvidence.objects.of_bank(bank).corrected()):
        for opinion_id, row_id in rows.values_list("opinion_id", "id"):
            lost[opinion_id].add(row_id)
    steps = OpinionRevision.objects.of_bank(bank).without_evidence()
    return {opinion_id: set() for opinion_id in steps.values_list("opinion_id", flat=True)} | lost


def settle(bank: Bank, opinion_id: UUID, lost: Collection[UUID], *, why: str = "") -> Loss | None:
    """None where no text could stay, and the opinion went. Else its steps are what they are without the lost evidence,
    and the row still has to follow.

    Call inside a tenant transaction, after `lock_memory`.
    """
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    history = read_history(bank, opinion_id)
    before, judging = find_over(history.revisions), find_judging(history)
    doubtful = take_back(history, lost)
    formed = history.revisions[0].text_after
    vouched = formed if opinion.review == Mark.PINNED and opinion.text == formed else ""
    removed = find_removed(history, doubtful, vouched=vouched)
    remove_texts(history, opinion, removed)
    alone = find_over(history.revisions)
    freed = {row.id for row in take_back_outgrown(history, judging)}
    history.save()
    state = replay(history.revisions)
    if not state.text:
        delete_units(bank, {opinion_id})
        return None
    over = find_over(history.revisions)
    return Loss(
        state,
        why or (DELETED if doubtful else CORRECTED),
        over=over - before,
        left=find_touched(history, lost) - over,
        facts=find_facts(history, {*lost, *freed}),
        removed=frozenset(removed),
        outgrown=over - alone,
    )


def go_back(bank: Bank, opinion: MemoryUnit, loss: Loss, *, actor: str, now: datetime) -> Withdrawn:
    state, text_before = loss.state, REMOVED if opinion.text in loss.removed else opinion.text
    before, is_reworded = Before(text_before, opinion.confidence or 0.0), opinion.text != state.text
    other = find_with_words(bank, opinion, state.text) if is_reworded and opinion.expired_at is None else None
    words = NewWords(state.text, opinion.text)
    opinion.text = state.text
    set_confidence(opinion, state.confidence, now=now)
    if is_reworded and other is None:
        reword(bank, opinion, words, vector=None)
    write_step(bank, opinion, before, Step(Cause.WITHDRAWN, actor, loss.reasoning, lost=loss.facts))
    reopen(bank, opinion, state, is_reworded=is_reworded, actor=actor)
    if other is not None:
        unite(bank, other, opinion, Union(actor, now))
        reword(bank, opinion, words, vector=None)  # closed by now: only live ones have words of their own
    elif loss.why == CORRECTED and not is_grounded(bank, opinion):
        invalidate_unit(bank, opinion, Invalidation("correction", explanation=GROUNDLESS, actor=actor))
    return Withdrawn(1, int(is_reworded and other is None))


def reopen(bank: Bank, opinion: MemoryUnit, state: OpinionState, *, is_reworded: bool, actor: str) -> None:
    """A mark was given to the text that stood: with another one it is gone, and the history says so."""
    mark = "" if is_reworded and opinion.review in {Mark.APPROVED, Mark.PINNED} else opinion.review
    if mark == state.review and not (is_reworded and state.laid_aside):
        return
    opinion.review = mark
    opinion.save(update_fields=["review"])
    why = STAYS_RETIRED if mark == Mark.RETIRED else WENT_BACK
    write_step(bank, opinion, Before.of(opinion), Step(Cause.REOPENED, actor, why))


def is_grounded(bank: Bank, opinion: MemoryUnit) -> bool:
    """Whether anything that was so speaks for it, or somebody vouches for it, or it is held no more anyway."""
    if opinion.expired_at is not None or opinion.review == Mark.PINNED:
        return True
    corrected = Q(other_unit__close_reason=MemoryUnit.CloseReason.CORRECTION)
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    return sources.filter(Q(other_unit=None) | ~corrected).exists()
