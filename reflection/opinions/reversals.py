"""Reversals: the agent changes its mind to the opposite. Of two opposite opinions one is held.

The opinion that is reversed keeps its row and history and gets the new text. Further opposite opinions are closed. A
pinned opinion stays, and a revision shows the contradiction to a person.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import F

from banks.errors import MemoryState
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit
from banks.models import Bank, MemoryUnit, UnitChange
from reflection.models import OpinionRevision
from reflection.opinions.claims import Verdict
from reflection.opinions.confidence import choose_step, move
from reflection.opinions.entities import NewWording
from reflection.opinions.evidence import add_evidence, find_known, find_moved, list_fresh
from reflection.opinions.history import FORMATION
from reflection.opinions.matching import Claim, HeldOpinion
from reflection.opinions.merging import replace_opinion
from reflection.opinions.revisions import Author, Before, Step, write_step
from reflection.opinions.rewording import find_with_text, reword, set_confidence
from reflection.opinions.scrubbing import repeats
from reflection.opinions.tags import TaggedText, read_own_tags

Cause = OpinionRevision.Cause
OTHERWISE = "The agent thinks otherwise by now"
RESTORED = "A person restored the opposite"


def find_reversed(claim: Claim, opposed: Sequence[HeldOpinion]) -> HeldOpinion | None:
    """The nearest opposite opinion under the same tags."""
    return next((one for one in opposed if one.tags == claim.tags), None)


def revise_opinion(author: Author, opinion_id: UUID, claim: Claim) -> MemoryUnit:
    """Gives the opinion the claim's text and date, or closes it for another opinion with exactly this text. Returns the
    one that stands. Call inside a tenant transaction, after `lock_memory`.

    A new text that repeats the former one ("Previously I thought ...") depends on the evidence of that, too.
    """
    bank = author.bank
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    if (other := find_with_text(bank, opinion, claim.text)) is not None:
        replace_opinion(author, other, opinion, claim)
        return other
    texts = list(MemoryUnit.objects.of_bank(bank).filter(id__in=claim.evidence).values_list("text", flat=True))
    is_repeating = repeats(claim.text, opinion.text, texts)
    in_view = tuple(sorted(find_known(bank, opinion.id))) if is_repeating else ()
    if not claim.is_statement:
        add_evidence(bank, opinion.id, claim.evidence)
    before = Before.of(opinion)
    opinion.confidence, opinion.mentioned_at = claim.confidence, claim.said_at or author.now
    reword(bank, opinion, NewWording(claim.text, opinion.text, claim.evidence, claim.names), vector=claim.vector)
    step = Step(Cause.REVISED, author.actor, claim.reasoning, None, claim.evidence, in_view)
    write_step(bank, opinion, before, step)
    return opinion


def close_opposed(author: Author, standing_id: UUID, claim: Claim, opposed: Sequence[HeldOpinion]) -> None:
    """Closes all opposite opinions but the standing and the pinned ones.

    Call inside a tenant transaction, after `lock_memory`.
    """
    others = MemoryUnit.objects.of_bank(author.bank).current().exclude(id=standing_id)
    free = others.exclude(review=MemoryUnit.Review.PINNED)
    for opinion in free.filter(id__in=[one.id for one in opposed]).order_by("id"):
        contradict(author, opinion, claim)
        close(author.bank, opinion, standing_id, actor=author.actor)


def contradict(author: Author, opinion: MemoryUnit, claim: Claim) -> None:
    """Moves the opinion as a contradicting fact would. Evidence that it has met already does not move it again."""
    bank, before = author.bank, Before.of(opinion)
    fresh = tuple(list_fresh(bank, opinion.id, claim.evidence))
    reasoning = claim.tagged_text.quote_for(read_own_tags(bank, opinion), OTHERWISE)
    step = Step(Cause.REVISED, author.actor, reasoning, in_view=claim.evidence)
    if fresh:
        alpha = choose_step(bank)
        set_confidence(opinion, move(before.confidence, Verdict.CONTRADICT, step=alpha), now=author.now)
        step = Step(Cause.CONTRADICT, author.actor, reasoning, alpha, fresh, claim.evidence)
    write_step(bank, opinion, before, step)


def close(bank: Bank, opinion: MemoryUnit, standing_id: UUID, *, actor: str) -> None:
    """Not as a correction: the agent held it until now."""
    invalidate_unit(bank, opinion, Invalidation("update", explanation=f"{OTHERWISE}.", actor=actor))
    opinion.superseded_by_id = standing_id
    opinion.save(update_fields=["superseded_by"])


def note_contradiction(author: Author, opinion_id: UUID, claim: Claim) -> None:
    """A revision of a pinned opinion that names the evidence against it and moves nothing.

    Evidence that its history has already is not named again. Call inside a tenant transaction, after `lock_memory`.
    """
    bank, moved = author.bank, find_moved(author.bank, opinion_id)
    fresh = tuple(one for one in claim.evidence if one not in moved)
    if not fresh:
        return
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    reasoning = claim.tagged_text.quote_for(read_own_tags(bank, opinion), OTHERWISE)
    step = Step(Cause.CONTRADICT, author.actor, reasoning, 0.0, fresh, in_view=claim.evidence)
    write_step(bank, opinion, Before.of(opinion), step)


def close_successor(bank: Bank, opinion: MemoryUnit, *, actor: str) -> None:
    """A person restored an opinion that had given way to its opposite: now the opposite gives way.

    A pinned opposite is an error: a person must first decide which of the two is held. Call inside the tenant
    transaction of the restoration, after `lock_memory`.
    """
    successor_id = find_successor(bank, opinion)
    other = MemoryUnit.objects.of_bank(bank).current().filter(id=successor_id).first() if successor_id else None
    if other is None:
        return
    if other.review == MemoryUnit.Review.PINNED:
        raise MemoryState(f"Opinion {other.id} is pinned and says the opposite: unpin or retire it first.")
    reasoning = TaggedText(opinion.text, read_own_tags(bank, opinion)).quote_for(read_own_tags(bank, other), RESTORED)
    write_step(bank, other, Before.of(other), Step(Cause.REVISED, actor, reasoning))
    close(bank, other, opinion.id, actor=actor)


def find_successor(bank: Bank, opinion: MemoryUnit) -> UUID | None:
    """The opinion that this one was closed for until its restoration, unless it has another text since."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    last = changes.order_by("-changed_at", "-id").first()
    if last is None or last.action != UnitChange.Action.RESTORED or not last.before.get("superseded_by"):
        return None
    if last.before["close_reason"] != MemoryUnit.CloseReason.UPDATE:  # else the other one says the same
        return None
    successor = UUID(last.before["superseded_by"])
    later = OpinionRevision.objects.of_bank(bank).filter(
        opinion_id=successor, number__gt=FORMATION, created_at__gt=datetime.fromisoformat(last.before["expired_at"])
    )
    return None if later.exclude(text_before=F("text_after")).exists() else successor
