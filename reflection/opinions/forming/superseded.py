"""Opinions that retain closed for a newer one that excludes them: each goes on, stays or gives way, with a step."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.lifecycle.restore import restore_unit
from banks.models import Bank, MemoryUnit
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.forming.overruling import Overruling, contradict
from reflection.opinions.forming.pinned import note_contradiction
from reflection.opinions.forming.turning_round import CHANGED, Turn, find_opposed_to, keep_pinned, turn_round
from reflection.opinions.held import read_vector
from reflection.opinions.history.revisions import RETAIN
from reflection.opinions.history.rewording import find_with_words
from reflection.opinions.tagging import Said, read_own_tags

Cause = OpinionRevision.Cause
Mark = MemoryUnit.Review
STANDS = "What was said instead is no opinion."
VOUCHED_FOR = "What was said instead gave way to an opinion that a person pinned."


@dataclass(frozen=True)
class Newcomers:
    """What the same retain brought: new units, of which the refused are no opinions."""

    told: Collection[UUID]
    refused: Collection[UUID]
    now: datetime


def take_up_again(bank: Bank, old: MemoryUnit, newcomers: Newcomers) -> None:
    """A new telling under the same tags is a change of mind: the old one goes on with its words, so that its whole way
    can be followed. To any other it gives way. A pinned one stays what it was, and nothing is held against it; nor does
    one give way to what is no opinion.

    Call inside a tenant transaction, after `lock_memory`, the pinned ones first.
    """
    if old.review == Mark.RETIRED or find_with_words(bank, old, old.text) or is_noted(bank, old):
        return
    if old.superseded_by_id in newcomers.refused:
        restore_unit(bank, old, actor=RETAIN, reason=STANDS)
        return
    telling = find_opinion(bank, old.superseded_by_id)
    standing = find_standing(bank, telling)
    if telling is None or standing is None or is_told_late(old, telling, newcomers):
        return
    said, vector = Said(telling.text, read_own_tags(bank, telling)), read_vector(telling)
    opposed = find_opposed_to(bank, telling, telling.text, vector, without=[old.id])
    turn = Turn(said, vector, RETAIN, newcomers.now, opposed)
    if (pinned := list_pinned(old, turn)) or (is_pinned(standing) and standing.id != telling.id):
        restore_unit(bank, old, actor=RETAIN, reason=VOUCHED_FOR)
        speak_against(bank, pinned, telling, turn, newcomers)
    elif standing.id == telling.id in newcomers.told and read_own_tags(bank, old) == said.tags:
        restore_unit(bank, old, actor=RETAIN, reason=CHANGED)
        turn_round(bank, old, telling, turn)
    else:
        give_way(bank, old, telling, standing, turn)


def is_noted(bank: Bank, old: MemoryUnit) -> bool:
    """Whether its history tells already that it gave way."""
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion=old, actor=RETAIN, created_at__gte=old.expired_at)
    return steps.filter(cause__in=(Cause.CONTRADICT, Cause.REVISED)).exists()


def find_opinion(bank: Bank, unit_id: UUID | None) -> MemoryUnit | None:
    return MemoryUnit.objects.of_bank(bank).filter(id=unit_id, network=Network.OPINION).first() if unit_id else None


def find_standing(bank: Bank, telling: MemoryUnit | None) -> MemoryUnit | None:
    """The telling, or what it became part of meanwhile."""
    passed: set[UUID] = set()
    while telling is not None and telling.expired_at is not None:
        passed.add(telling.id)
        after = telling.superseded_by_id
        telling = find_opinion(bank, None if after in passed else after)
    return telling


def is_told_late(old: MemoryUnit, telling: MemoryUnit, newcomers: Newcomers) -> bool:
    """What was thought once and is told only now, beside what is held since then: nothing of that changes."""
    return old.id in newcomers.told and telling.id not in newcomers.told


def is_pinned(opinion: MemoryUnit) -> bool:
    return opinion.review == Mark.PINNED


def list_pinned(old: MemoryUnit, turn: Turn) -> list[UUID]:
    return list(dict.fromkeys([*([old.id] if is_pinned(old) else []), *turn.find_pinned()]))


def speak_against(bank: Bank, pinned: list[UUID], telling: MemoryUnit, turn: Turn, newcomers: Newcomers) -> None:
    """The telling stands in the history of each, and is not held beside them, unless it was an opinion before."""
    if pinned and telling.id in newcomers.told:
        keep_pinned(bank, pinned, telling, turn)
        return
    for opinion_id in pinned:
        note_contradiction(bank, opinion_id, [telling.id], said=turn.said, actor=RETAIN)


def give_way(bank: Bank, old: MemoryUnit, telling: MemoryUnit, standing: MemoryUnit, turn: Turn) -> None:
    """It stays closed, and its history says why."""
    contradict(bank, old, Overruling(turn.said, (telling.id,), RETAIN, turn.now))
    old.superseded_by_id = standing.id
    old.save(update_fields=["superseded_by"])
