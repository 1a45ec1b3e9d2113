"""Of one matter one verdict is held: what says the opposite of the agent's present one gives way to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.forming.pinned import tell_otherwise
from reflection.opinions.held import HeldOpinion
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.rewording import set_confidence
from reflection.opinions.moving import choose_step, move
from reflection.opinions.repeating import list_fresh
from reflection.opinions.tagging import Said, read_own_tags
from reflection.opinions.types import Verdict

Cause = OpinionRevision.Cause
GAVE_WAY = "The agent thinks otherwise by now."


@dataclass(frozen=True)
class Overruling:
    """What the agent thinks by now, and what it came to that by: facts, or where it said so."""

    said: Said
    evidence: tuple[UUID, ...]
    actor: str
    now: datetime


def overrule(bank: Bank, standing_id: UUID, opposed: Sequence[HeldOpinion], overruling: Overruling) -> None:
    """Call inside a tenant transaction, after `lock_memory`. What a person pinned stays, and so does the one that
    stands.
    """
    others = MemoryUnit.objects.of_bank(bank).current().exclude(id=standing_id)
    free = others.exclude(review=MemoryUnit.Review.PINNED)
    for opinion in free.filter(id__in=[one.id for one in opposed]).order_by("id"):
        contradict(bank, opinion, overruling)
        close(bank, opinion, standing_id, actor=overruling.actor)


def contradict(bank: Bank, opinion: MemoryUnit, overruling: Overruling) -> None:
    """As a fact would. What it rests on or was moved by already does not move it again."""
    before, fresh = Before.of(opinion), tuple(list_fresh(bank, opinion.id, overruling.evidence))
    reasoning, in_view = tell_otherwise(overruling.said, read_own_tags(bank, opinion)), overruling.evidence
    step = Step(Cause.REVISED, overruling.actor, reasoning, in_view=in_view)
    if fresh:
        alpha = choose_step(bank)
        set_confidence(opinion, move(before.confidence, Verdict.CONTRADICT, step=alpha), now=overruling.now)
        step = Step(Cause.CONTRADICT, overruling.actor, reasoning, alpha, fresh, in_view)
    write_step(bank, opinion, before, step)


def close(bank: Bank, opinion: MemoryUnit, standing_id: UUID, *, actor: str) -> None:
    """Not as a correction: it was held until now."""
    invalidate_unit(bank, opinion, Invalidation("update", explanation=GAVE_WAY, actor=actor))
    opinion.superseded_by_id = standing_id
    opinion.save(update_fields=["superseded_by"])
