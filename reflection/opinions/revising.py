"""The agent changed its mind: the opinion stays the same one, with another text and confidence."""

from dataclasses import dataclass
from datetime import datetime

from banks.models import Bank, MemoryUnit
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.revisions import Before, Step, write_step
from reflection.opinions.rewording import find_with_words, reword
from reflection.opinions.uniting import unite


@dataclass(frozen=True, eq=False)
class Revision:
    """What is thought now."""

    text: str
    confidence: float
    vector: Vector | None
    reasoning: str = ""


def revise(bank: Bank, opinion: MemoryUnit, revision: Revision, *, actor: str, now: datetime) -> MemoryUnit:
    """The opinion that stands after it: another one, where that says the new words already.

    Call inside a tenant transaction, after `lock_memory`.
    """
    if (other := find_with_words(bank, opinion, revision.text)) is not None:
        unite(bank, other, opinion, actor=actor, now=now)
        return other
    before = Before.of(opinion)
    opinion.confidence = revision.confidence
    reword(bank, opinion, text=revision.text, vector=revision.vector)
    write_step(bank, opinion, before, Step(OpinionRevision.Cause.REVISED, actor, revision.reasoning))
    return opinion
