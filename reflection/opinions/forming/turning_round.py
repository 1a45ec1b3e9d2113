"""The agent said the opposite of what is held: that goes on with the other words, and nothing is held beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.evidence import copy_sources
from reflection.opinions.forming.overruling import Overruling, overrule
from reflection.opinions.forming.pinned import note_contradiction
from reflection.opinions.forming.revising import Revision, revise
from reflection.opinions.forming.uniting import Union, close_into, unite
from reflection.opinions.held import HeldOpinion, find_held, read_entities
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.rewording import find_with_words, reword
from reflection.opinions.naming_anew import NewWords
from reflection.opinions.tagging import Said
from reflection.opinions.wording.sense import find_opposed

CHANGED = "Said otherwise."


@dataclass(frozen=True, eq=False)
class Turn:
    """What is thought from now on in place of what was, and all that is held and says the opposite."""

    said: Said
    vector: Vector | None
    actor: str
    now: datetime
    opposed: Sequence[HeldOpinion] = ()

    @property
    def text(self) -> str:
        return self.said.text

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


def take_place(bank: Bank, unit: MemoryUnit, turn: Turn) -> bool:
    """Of what the telling opposes, the nearest that is held under the same tags goes on with its words. Where none is,
    the telling stands by itself, and they give way to it. Whether it stands so.
    """
    taking = next((one for one in turn.opposed if one.tags == turn.said.tags), None)
    if taking is not None:
        turn_round(bank, MemoryUnit.objects.of_bank(bank).get(id=taking.id), unit, turn)
        return False
    if pinned := turn.find_pinned():
        keep_pinned(bank, pinned, unit, turn)
        return False
    standing = put_into_words(bank, unit, turn)
    overrule(bank, standing.id, turn.opposed, Overruling(turn.said, (unit.id,), turn.actor, turn.now))
    return standing.id == unit.id


def put_into_words(bank: Bank, unit: MemoryUnit, turn: Turn) -> MemoryUnit:
    """The telling of a change of mind says from now on only what is thought now. Where another says that, it stands."""
    if unit.text == turn.text:
        return unit
    if (other := find_with_words(bank, unit, turn.text)) is not None:
        unite(bank, other, unit, Union(turn.actor, turn.now))
        return other
    before = Before.of(unit)
    reword(bank, unit, NewWords(turn.text, unit.text), vector=turn.vector)
    write_step(bank, unit, before, Step(OpinionRevision.Cause.REVISED, turn.actor, CHANGED))
    return unit


def turn_round(bank: Bank, opinion: MemoryUnit, unit: MemoryUnit, turn: Turn) -> None:
    """The telling becomes part of the opinion, which is held under the same tags. Where a pinned one says the opposite,
    nothing is turned: the telling stands in the history of that one as what speaks against it.
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
        note_contradiction(bank, opinion_id, [unit.id], said=turn.said, actor=turn.actor)


def adopt_words(bank: Bank, opinion: MemoryUnit, unit: MemoryUnit, turn: Turn) -> None:
    """After the telling was closed into the opinion."""
    copy_sources(bank, source=unit.id, target=opinion.id)
    confidence, tags = unit.confidence or 0.0, turn.said.tags
    revision = Revision(turn.text, confidence, turn.vector, CHANGED, telling=(unit.id,), tags=tags)
    standing = revise(bank, opinion, revision, actor=turn.actor, now=turn.now)
    overrule(bank, standing.id, turn.opposed, Overruling(turn.said, (unit.id,), turn.actor, turn.now))
