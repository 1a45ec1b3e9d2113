"""Opinions that retain heard the agent say: each gets its history, and those that say the same become one."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.lifecycle.restore import restore_unit
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.retain.vectors import embed_texts
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.evidence import copy_sources
from reflection.opinions.held import find_held, read_entities
from reflection.opinions.no_opinion import is_no_opinion
from reflection.opinions.revising import Revision, revise
from reflection.opinions.revisions import Before, Step, count_steps, write_formed, write_step
from reflection.opinions.rewording import find_with_words
from reflection.opinions.sense import find_meant, find_same
from reflection.opinions.uniting import close_into, unite
from reflection.opinions.voice import ChangeOfMind, find_change_of_mind
from tenants.transactions import tenant_transaction

Cause = OpinionRevision.Cause
ACTOR = "retain"
CHANGED = "Said otherwise."
FULLER = "Told with more to it."


@dataclass(frozen=True)
class Heard:
    """What a retain did to units of whichever network: new, told again, superseded."""

    new: tuple[UUID, ...]
    again: tuple[UUID, ...] = ()
    closed: tuple[UUID, ...] = ()


@dataclass(frozen=True, eq=False)
class Changed:
    """A change of mind with the vectors of both its halves."""

    mind: ChangeOfMind
    old: Vector
    new: Vector


def adopt_opinions(
    bank: Bank,
    heard: Heard,
    *,
    embedder: Embedder,
    write: Callable[[], AbstractContextManager[object]],
    now: datetime,
) -> int:
    """How many became opinions of their own. Call outside of transactions; again after a crash it does the same.

    Their evidence is the message that they were said in.
    """
    with tenant_transaction(bank.tenant_id):
        texts = dict(find_opinions(bank, heard.new).values_list("id", "text"))
        concerned = bool(texts) or find_opinions(bank, (*heard.again, *heard.closed)).exists()
    if not concerned:
        return 0
    changes = read_changes(bank, texts, embedder)
    with write():
        lock_memory(bank)
        for closed in find_opinions(bank, heard.closed).exclude(superseded_by=None).order_by("id"):
            take_up_again(bank, closed, now=now)
        begin(bank, find_opinions(bank, (*heard.new, *heard.again)))
        for unit in find_opinions(bank, heard.again).order_by("id"):
            note_fuller(bank, unit)
        new = find_opinions(bank, heard.new).current().order_by("recorded_at", "id")
        return sum(settle(bank, unit, changes.get(unit.id), now=now) for unit in new)


def find_opinions(bank: Bank, ids: Collection[UUID]) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).filter(id__in=ids, network=MemoryUnit.Network.OPINION)


def read_changes(bank: Bank, texts: dict[UUID, str], embedder: Embedder) -> dict[UUID, Changed]:
    minds = {unit_id: mind for unit_id, text in texts.items() if (mind := find_change_of_mind(text))}
    if not minds:
        return {}
    halves = [half for mind in minds.values() for half in (mind.old, mind.new)]
    vectors = iter(embed_texts(bank.tenant_id, embedder, halves).vectors)
    return {unit_id: Changed(mind, next(vectors), next(vectors)) for unit_id, mind in minds.items()}


def begin(bank: Bank, units: Sequence[MemoryUnit] | UnitQuerySet) -> None:
    """The first revision of those that have none."""
    every = list(units)
    begun = count_steps(bank, [unit.id for unit in every])
    write_formed(bank, [unit for unit in every if unit.id not in begun], Step(Cause.FORMED, ACTOR))


def note_fuller(bank: Bank, unit: MemoryUnit) -> None:
    """Retain may have given it a text that tells more: a step of its history like any other."""
    last = OpinionRevision.objects.of_bank(bank).filter(opinion=unit).order_by("-number").first()
    if last and last.text_after != unit.text:
        before = Before(last.text_after, last.confidence_after)
        write_step(bank, unit, before, Step(Cause.REVISED, ACTOR, FULLER))


def take_up_again(bank: Bank, old: MemoryUnit, *, now: datetime) -> None:
    """Retain closed an opinion for a newer one that excludes it. That is a change of mind: the old one goes on with
    the new words, so that its whole way can be followed. A pinned one stays what it was.
    """
    successors = MemoryUnit.objects.of_bank(bank).current().filter(network=MemoryUnit.Network.OPINION)
    new = successors.filter(id__in=[old.superseded_by_id]).first()
    said_again = find_with_words(bank, old, old.text)
    if new is None or said_again or old.review == MemoryUnit.Review.RETIRED:
        return
    begin(bank, [old, new])
    close_into(bank, old, new, actor=ACTOR, now=now)
    old.refresh_from_db()
    restore_unit(bank, old, actor=ACTOR, reason=CHANGED)
    copy_sources(bank, source=new.id, target=old.id)
    if old.review != MemoryUnit.Review.PINNED:
        revise(bank, old, Revision(new.text, new.confidence or 0.0, read_vector(new), CHANGED), actor=ACTOR, now=now)


def settle(bank: Bank, unit: MemoryUnit, changed: Changed | None, *, now: datetime) -> bool:
    """Whether it stands by itself. Call inside a tenant transaction, after `lock_memory`."""
    if is_no_opinion(unit.text):
        invalidate_unit(bank, unit, Invalidation("correction", explanation="It judges nothing.", actor=ACTOR))
        return False
    if changed and change_mind(bank, unit, changed, now=now):
        return False
    vector = read_vector(unit)
    if vector is None:
        return True
    about = frozenset(read_entities(bank, [unit.id]).get(unit.id, ()))
    held = [one for one in find_held(bank, unit.text, vector, without=[unit.id]) if one.id < unit.id]
    same = find_same(held, text=unit.text, entity_ids=about)
    if same is None:
        return True
    unite(bank, MemoryUnit.objects.of_bank(bank).get(id=same.id), unit, actor=ACTOR, now=now)
    return False


def change_mind(bank: Bank, unit: MemoryUnit, changed: Changed, *, now: datetime) -> bool:
    """The opinion that was meant goes on with the new words, and this telling of it becomes part of it."""
    held = [one for one in find_held(bank, changed.mind.old, changed.old, without=[unit.id]) if not one.is_retired]
    meant = find_meant(held, text=changed.mind.old)
    if meant is None:
        return False
    opinion = MemoryUnit.objects.of_bank(bank).get(id=meant.id)
    close_into(bank, opinion, unit, actor=ACTOR, now=now)
    copy_sources(bank, source=unit.id, target=opinion.id)
    if not meant.is_pinned:
        revision = Revision(changed.mind.new, unit.confidence or 0.0, changed.new, CHANGED)
        revise(bank, opinion, revision, actor=ACTOR, now=now)
    return True


def read_vector(unit: MemoryUnit) -> Vector | None:
    return None if unit.embedding is None else np.asarray(unit.embedding, dtype=np.float32)
