"""Evidence was deleted, and with it goes what it did: confidence, wording, and the reasons that quoted it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.bereft import find_bereft, note_bereft
from reflection.opinions.replay import OpinionState, follow, replay
from reflection.opinions.revisions import Before, Step, read_revisions, write_step
from reflection.opinions.rewording import find_with_words, reword, set_confidence
from reflection.opinions.uniting import unite

ACTOR = "deletion"


@dataclass(frozen=True)
class Withdrawn:
    """How many opinions changed, and how many of them wait for a vector of the text that they went back to.

    `bereft` are pinned ones that have no evidence left.
    """

    opinions: int = 0
    unembedded: int = 0
    bereft: int = 0


def has_lost_evidence(bank: Bank) -> bool:
    """Call inside a tenant transaction."""
    return OpinionRevision.objects.of_bank(bank).without_evidence().exists() or find_bereft(bank).exists()


def withdraw_lost_evidence(bank: Bank, *, now: datetime) -> Withdrawn:
    """Call inside the tenant transaction of the deletion, after it and after `lock_memory`. Two queries if none."""
    lost: defaultdict[UUID, set[UUID]] = defaultdict(set)
    rows = OpinionRevision.objects.of_bank(bank).without_evidence()
    for opinion_id, revision_id in rows.values_list("opinion_id", "id"):
        lost[opinion_id].add(revision_id)
    changed = [withdraw(bank, opinion_id, lost[opinion_id], now=now) for opinion_id in sorted(lost)]
    bereft = note_bereft(bank, actor=ACTOR)
    return Withdrawn(len(changed), sum(changed), bereft)


def withdraw(bank: Bank, opinion_id: UUID, lost: set[UUID], *, now: datetime) -> bool:
    """Whether its text went back, and wants a vector."""
    revisions = read_revisions(bank, opinion_id)
    for revision in revisions:
        if revision.id in lost:
            revision.withdrawn, revision.reasoning = True, ""
    state = replay(revisions)
    forget_wordings(bank, revisions)
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    return go_back(bank, opinion, state, now=now)


def forget_wordings(bank: Bank, revisions: Sequence[OpinionRevision]) -> None:
    """A text that was made from the deleted fact, and those that were made from that one, are history no more."""
    state = OpinionState()
    for revision in revisions:
        before, state = state.text, follow(state, revision)
        revision.text_before, revision.text_after = before, state.text
    fields = ["withdrawn", "reasoning", "text_before", "text_after"]
    OpinionRevision.objects.for_tenant(bank.tenant_id).bulk_update(revisions, fields)


def go_back(bank: Bank, opinion: MemoryUnit, state: OpinionState, *, now: datetime) -> bool:
    confidence, is_reworded = opinion.confidence or 0.0, opinion.text != state.text
    before = Before(state.text, confidence)  # the former text is not to be kept
    other = find_with_words(bank, opinion, state.text) if is_reworded and opinion.expired_at is None else None
    opinion.confidence = state.confidence
    if is_reworded and other is None:
        reword(bank, opinion, text=state.text, vector=None)
    else:
        set_confidence(opinion, state.confidence, now=now)
    write_step(bank, opinion, before, Step(OpinionRevision.Cause.WITHDRAWN, ACTOR))
    if other is not None:
        unite(bank, other, opinion, actor=ACTOR, now=now)
    return is_reworded and other is None
