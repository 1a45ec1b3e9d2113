"""A person says what is held: of one matter one verdict is, so what says the opposite gives way to it."""

from datetime import datetime
from uuid import UUID

from django.db.models import F

from banks.errors import MemoryState
from banks.models import Bank, MemoryUnit, UnitChange
from banks.models.unit import UnitQuerySet
from reflection.models import OpinionRevision
from reflection.opinions.forming.overruling import close
from reflection.opinions.held import find_held, read_entities, read_vector
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.turning import FORMATION
from reflection.opinions.naming import read_names
from reflection.opinions.tagging import Said, may_read, read_own_tags
from reflection.opinions.wording.matter import list_names
from reflection.opinions.wording.sense import find_opposed

RESTORED = "A person restored the opposite"
WRITTEN = "A person wrote the opposite"


def take_place_again(bank: Bank, opinion: MemoryUnit, *, actor: str, why: str = RESTORED) -> None:
    """Call inside the tenant transaction that restored or reworded it, after `lock_memory`. What is pinned gives way to
    nobody: a person must first decide which of the two is held.
    """
    opposed = list(find_held_against(bank, opinion).order_by("id"))
    if pinned := next((one for one in opposed if one.review == MemoryUnit.Review.PINNED), None):
        raise MemoryState(f"Opinion {pinned.id} is pinned and says the opposite: unpin or retire it first.")
    said = Said(opinion.text, read_own_tags(bank, opinion))
    for other in opposed:
        step = Step(OpinionRevision.Cause.REVISED, actor, tell_why(why, said, bank, other))
        write_step(bank, other, Before.of(other), step)
        close(bank, other, opinion.id, actor=actor)


def find_held_against(bank: Bank, opinion: MemoryUnit) -> UnitQuerySet:
    """What says the opposite by its words, and what the opinion had given way to, for whichever reason."""
    vector = read_vector(opinion)
    near = [] if vector is None else find_held(bank, opinion.text, vector, without=[opinion.id])
    opposed = find_opposed(near, text=opinion.text, entity_ids=find_meant_ones(bank, opinion))
    ids = {*(one.id for one in opposed), find_successor(bank, opinion)}
    return MemoryUnit.objects.of_bank(bank).current().filter(id__in=[one for one in ids if one])


def find_meant_ones(bank: Bank, opinion: MemoryUnit) -> frozenset[UUID]:
    """Whom it is about by its present words. None where a person wrote other names into it: nobody linked these."""
    linked = frozenset(read_entities(bank, [opinion.id]).get(opinion.id, ()))
    names = read_names(bank, linked)
    words = opinion.text.casefold()
    named = frozenset(one for one in linked if any(name.casefold() in words for name in names.get(one, ())))
    return named if named or list_names(opinion.text) else linked


def find_successor(bank: Bank, opinion: MemoryUnit) -> UUID | None:
    """The opinion that this one was closed for until just now. Not one that says something else since then."""
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    last = changes.order_by("-changed_at", "-id").first()
    if last is None or last.action != UnitChange.Action.RESTORED or not last.before.get("superseded_by"):
        return None
    if last.before["close_reason"] != MemoryUnit.CloseReason.UPDATE:  # else it became part of one that says the same
        return None
    successor = UUID(last.before["superseded_by"])
    later = OpinionRevision.objects.of_bank(bank).filter(
        opinion_id=successor, number__gt=FORMATION, created_at__gt=datetime.fromisoformat(last.before["expired_at"])
    )
    return None if later.exclude(text_before=F("text_after")).exists() else successor


def tell_why(why: str, said: Said, bank: Bank, other: MemoryUnit) -> str:
    """With its words, where all who see the other may see these."""
    return f"{why}: {said.text}" if may_read(read_own_tags(bank, other), said.tags) else f"{why}."
