"""The agent said the opposite of what is held: that goes on with the other words, and nothing is held beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from providers.embedding.vector import Vector
from reflection.opinions.evidence import copy_sources
from reflection.opinions.forming.overruling import Overruling, overrule
from reflection.opinions.forming.pinned import note_contradiction
from reflection.opinions.forming.revising import Revision, revise
from reflection.opinions.forming.uniting import close_into
from reflection.opinions.held import HeldOpinion, find_held, read_entities
from reflection.opinions.wording.sense import find_opposed

CHANGED = "Said otherwise."


@dataclass(frozen=True, eq=False)
class Turn:
    """What is thought from now on in place of what was, and all that is held and says the opposite."""

    text: str
    vector: Vector | None
    actor: str
    now: datetime
    opposed: Sequence[HeldOpinion] = ()

    def find_pinned(self) -> list[UUID]:
        return [one.id for one in self.opposed if one.is_pinned]


def find_opposed_to(
    bank: Bank, unit: MemoryUnit, text: str, vector: Vector | None, *, without: Sequence[UUID] = ()
) -> list[HeldOpinion]:
    """What is held against a text that the unit tells. Call inside a tenant transaction, after `lock_memory`."""
    if vector is None:
        return []
    about = frozenset(read_entities(bank, [unit.id]).get(unit.id, ()))
    return find_opposed(find_held(bank, text, vector, without=[unit.id, *without]), text=text, entity_ids=about)


def turn_round(bank: Bank, opinion: MemoryUnit, unit: MemoryUnit, turn: Turn) -> None:
    """The telling becomes part of the opinion. Where a pinned one says the opposite, nothing is turned: the telling
    stands in the history of that one as what speaks against it.
    """
    is_pinned = opinion.review == MemoryUnit.Review.PINNED
    if pinned := [*([opinion.id] if is_pinned else []), *turn.find_pinned()]:
        keep_pinned(bank, list(dict.fromkeys(pinned)), unit, turn)
        return
    close_into(bank, opinion, unit, actor=turn.actor, now=turn.now)
    adopt_words(bank, opinion, unit, turn)


def keep_pinned(bank: Bank, pinned: Sequence[UUID], unit: MemoryUnit, turn: Turn) -> None:
    first = MemoryUnit.objects.of_bank(bank).get(id=pinned[0])
    close_into(bank, first, unit, actor=turn.actor, now=turn.now)
    for opinion_id in pinned:
        note_contradiction(bank, opinion_id, [unit.id], text=turn.text, actor=turn.actor)


def adopt_words(bank: Bank, opinion: MemoryUnit, unit: MemoryUnit, turn: Turn) -> None:
    """After the telling was closed into the opinion."""
    copy_sources(bank, source=unit.id, target=opinion.id)
    revision = Revision(turn.text, unit.confidence or 0.0, turn.vector, CHANGED, telling=(unit.id,))
    standing = revise(bank, opinion, revision, actor=turn.actor, now=turn.now)
    overrule(bank, standing.id, turn.opposed, Overruling(turn.text, (unit.id,), turn.actor, turn.now))
