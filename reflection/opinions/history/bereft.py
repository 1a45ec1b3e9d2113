"""Pinned opinions that outlived all their evidence. A person vouches for them, and their history says so.

Once nobody vouches for one any more, it goes as every other does whose evidence went.
"""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, Subquery

from banks.lifecycle.delete import delete_units
from banks.models import Bank, MemoryUnit, UnitSource
from banks.models.unit import UnitQuerySet
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.history.revisions import Before, Step, write_step

Cause = OpinionRevision.Cause
GAINING = (Cause.FORMED, Cause.RESTATED, Cause.REVISED, Cause.REINFORCE)  # what it may rest on since
GONE = "All that it rested on was deleted; it stays because it is pinned."
GAINED_OR_TOLD = Q(cause__in=GAINING) | Q(cause=Cause.WITHDRAWN, reasoning=GONE)


def find_bereft(bank: Bank) -> UnitQuerySet:
    """Those whose history does not tell it yet. Call inside a tenant transaction."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=OuterRef("pk"))
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk")).order_by("-number")
    gained_or_told = steps.filter(GAINED_OR_TOLD)
    pinned = (
        MemoryUnit.objects.of_bank(bank)
        .current()
        .filter(~Exists(sources), network=Network.OPINION, review=MemoryUnit.Review.PINNED)
    )
    return pinned.annotate(last=Subquery(gained_or_told.values("cause")[:1])).exclude(last=Cause.WITHDRAWN)


def note_bereft(bank: Bank, *, actor: str) -> int:
    """How many. Call inside a tenant transaction, after `lock_memory`."""
    bereft = list(find_bereft(bank).order_by("id"))
    for opinion in bereft:
        write_step(bank, opinion, Before.of(opinion), Step(Cause.WITHDRAWN, actor, GONE))
    return len(bereft)


def forget_bereft(bank: Bank, opinion_id: UUID) -> bool:
    """Whether it went: it is pinned no more, and nothing came to speak for it since its history told that all had gone.

    Call inside a tenant transaction, after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id)
    held = MemoryUnit.objects.of_bank(bank).current().exclude(review=MemoryUnit.Review.PINNED)
    if sources.exists() or not held.filter(id=opinion_id).exists():
        return False
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).filter(GAINED_OR_TOLD)
    last = steps.order_by("-number").first()
    if last is None or last.cause != Cause.WITHDRAWN:
        return False
    delete_units(bank, {opinion_id})
    return True
