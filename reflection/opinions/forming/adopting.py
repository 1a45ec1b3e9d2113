"""Opinions that retain heard the agent say: each gets its history, and those that say the same become one."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import F

from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.retain.vectors import embed_texts
from banks.words import Network
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.forming.cleaning import LONGEST_TEXT, Refusal, find_refusal
from reflection.opinions.forming.overruling import Overruling, overrule
from reflection.opinions.forming.superseded import Newcomers, take_up_again
from reflection.opinions.forming.turning_round import Turn, find_opposed_to, take_place
from reflection.opinions.forming.uniting import Union, unite
from reflection.opinions.forming.voicing import put_in_first_person, voice_texts
from reflection.opinions.held import find_held, read_entities, read_vector
from reflection.opinions.history.revisions import RETAIN, Before, Step, count_steps, write_formed, write_step
from reflection.opinions.history.rewording import find_with_words, reword
from reflection.opinions.naming_anew import NewWords
from reflection.opinions.tagging import Said, Tags, read_own_tags
from reflection.opinions.wording.change_of_mind import ChangeOfMind, find_change_of_mind
from reflection.opinions.wording.sense import find_meant, find_opposed, find_same, list_alike
from tenants.transactions import tenant_transaction

Cause = OpinionRevision.Cause
ACTOR = RETAIN
VOICED = "Put in the first person."
REFUSED = {
    Refusal.NO_OPINION: "It judges nothing.",
    Refusal.NOT_ITS_OWN: "It is what somebody else believes.",
    Refusal.TOO_LONG: f"It has more than {LONGEST_TEXT} characters.",
}


@dataclass(frozen=True)
class Heard:
    """What a retain did to units of whichever network: new, told again, superseded."""

    new: tuple[UUID, ...]
    again: tuple[UUID, ...] = ()
    closed: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Adopted:
    """How many became opinions of their own, and how many were closed for being none, by reason."""

    formed: int = 0
    refused: Mapping[Refusal, int] = field(default_factory=dict)


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
) -> Adopted:
    """Call outside of transactions; again after a crash it comes to the same. Evidence is the message of each."""
    with tenant_transaction(bank.tenant_id):
        texts = dict(find_opinions(bank, heard.new).values_list("id", "text"))
        again = dict(find_opinions(bank, heard.again).values_list("id", "text"))
        concerned = bool(texts or again) or find_opinions(bank, heard.closed).exists()
    if not concerned:
        return Adopted()
    changes = read_changes(bank, texts, embedder)
    voiced = voice_texts(bank, texts | again, embedder)
    with write():
        lock_memory(bank)
        refused = refuse(bank, find_opinions(bank, heard.new).current().order_by("recorded_at", "id"))
        for unit in find_unvouched(bank, list(voiced)).order_by("recorded_at", "id"):
            put_in_first_person(bank, unit, voiced[unit.id], actor=ACTOR, now=now)
        for unit in find_opinions(bank, list(changes)).current().order_by("recorded_at", "id"):
            keep_new_half(bank, unit, changes[unit.id])
        newcomers = Newcomers(heard.new, refused, now)
        for closed in sorted(find_opinions(bank, heard.closed).exclude(superseded_by=None), key=by_pin):
            take_up_again(bank, closed, newcomers)
        new = list(find_opinions(bank, heard.new).current().order_by("recorded_at", "id"))
        begin(bank, [unit for unit in find_opinions(bank, (*heard.new, *heard.again)) if not find_refusal(unit.text)])
        for unit in find_opinions(bank, heard.again).order_by("id"):
            note_voiced(bank, unit)
        formed = sum(settle(bank, unit, changes.get(unit.id), now=now) for unit in new)
        return Adopted(formed, Counter(refused.values()))


def find_opinions(bank: Bank, ids: Collection[UUID]) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).filter(id__in=ids, network=Network.OPINION)


def by_pin(opinion: MemoryUnit) -> tuple[bool, UUID]:
    """The pinned ones first: what is held against them goes no further."""
    return opinion.review != MemoryUnit.Review.PINNED, opinion.id


def read_changes(bank: Bank, texts: dict[UUID, str], embedder: Embedder) -> dict[UUID, Changed]:
    minds = {unit_id: mind for unit_id, text in texts.items() if (mind := find_change_of_mind(text))}
    if not minds:
        return {}
    halves = [half for mind in minds.values() for half in (mind.old, mind.new)]
    vectors = iter(embed_texts(bank.tenant_id, embedder, halves).vectors)
    return {unit_id: Changed(mind, next(vectors), next(vectors)) for unit_id, mind in minds.items()}


def begin(bank: Bank, units: Sequence[MemoryUnit]) -> None:
    """The first revision of those that have none."""
    begun = count_steps(bank, [unit.id for unit in units])
    write_formed(bank, [unit for unit in units if unit.id not in begun], actor=ACTOR)


def find_unvouched(bank: Bank, ids: Collection[UUID]) -> UnitQuerySet:
    """Those whose words no person wrote, approved or pinned: what a person vouches for stays as it is."""
    edited = OpinionRevision.objects.of_bank(bank).filter(
        opinion_id__in=ids, cause=Cause.EDITED, text_after=F("opinion__text")
    )
    return find_opinions(bank, ids).current().filter(review="").exclude(id__in=edited.values("opinion_id"))


def keep_new_half(bank: Bank, unit: MemoryUnit, changed: Changed) -> None:
    """What was thought before is no part of the opinion. Where another has these words already, `settle` decides.

    Call inside a tenant transaction, after `lock_memory`, before the unit has a history.
    """
    if find_with_words(bank, unit, changed.mind.new) is None:
        reword(bank, unit, NewWords(changed.mind.new, unit.text), vector=changed.new)


def note_voiced(bank: Bank, unit: MemoryUnit) -> None:
    """An opinion that got its holder after it had begun: a step of its history like any other."""
    last = OpinionRevision.objects.of_bank(bank).filter(opinion=unit).order_by("-number").first()
    if last and last.text_after != unit.text:
        before = Before(last.text_after, last.confidence_after)
        write_step(bank, unit, before, Step(Cause.REVISED, ACTOR, VOICED))


def settle(bank: Bank, unit: MemoryUnit, changed: Changed | None, *, now: datetime) -> bool:
    """Whether it stands by itself. Call inside a tenant transaction, after `lock_memory`."""
    tags = read_own_tags(bank, unit)
    if changed and (stands := change_mind(bank, unit, changed, tags, now=now)) is not None:
        return stands
    if changed and (other := find_with_words(bank, unit, changed.mind.new)):
        unite(bank, other, unit, Union(ACTOR, now))
        return False
    said, vector = Said(unit.text, tags), read_vector(unit)
    if vector is None:
        return True
    about = frozenset(read_entities(bank, [unit.id]).get(unit.id, ()))
    held = [one for one in find_held(bank, unit.text, vector, without=[unit.id]) if one.id < unit.id]
    opposed = find_opposed(held, text=unit.text, entity_ids=about)
    if same := find_same(list_alike(held, tags=said.tags), text=unit.text, entity_ids=about):
        unite(bank, MemoryUnit.objects.of_bank(bank).get(id=same.id), unit, Union(ACTOR, now))
        if not same.is_retired:
            overrule(bank, same.id, opposed, Overruling(said, (unit.id,), ACTOR, now))
        return False
    return not opposed or take_place(bank, unit, Turn(said, vector, ACTOR, now, opposed))


def refuse(bank: Bank, units: UnitQuerySet) -> dict[UUID, Refusal]:
    """Those that are no opinion of the agent, closed before any gets a history.

    Call inside a tenant transaction, after `lock_memory`.
    """
    refused = {unit: refusal for unit in units if (refusal := find_refusal(unit.text))}
    for unit, refusal in refused.items():
        invalidate_unit(bank, unit, Invalidation("correction", explanation=REFUSED[refusal], actor=ACTOR))
    return {unit.id: refusal for unit, refusal in refused.items()}


def change_mind(bank: Bank, unit: MemoryUnit, changed: Changed, tags: Tags, *, now: datetime) -> bool | None:
    """The opinion that was meant goes on with the new words, and this telling of it becomes part of it, or takes its
    place. Whether it stands by itself; None where nothing was meant.
    """
    held = [one for one in find_held(bank, changed.mind.old, changed.old, without=[unit.id]) if not one.is_retired]
    meant = find_meant(held, text=changed.mind.old)
    if meant is None:
        return None
    opposed = find_opposed_to(bank, unit, changed.mind.new, changed.new)
    others = [one for one in opposed if one.id != meant.id]
    return take_place(bank, unit, Turn(Said(changed.mind.new, tags), changed.new, ACTOR, now, [meant, *others]))
