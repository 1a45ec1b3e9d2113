"""Pinned opinions that outlived all their evidence. A person vouches for them, and their history says so."""

from django.db.models import Exists, OuterRef, Q, Subquery

from banks.models import Bank, MemoryUnit, UnitSource
from banks.models.unit import UnitQuerySet
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.history.revisions import Before, Step, write_step

Cause = OpinionRevision.Cause
GAINING = (Cause.FORMED, Cause.RESTATED, Cause.REVISED, Cause.REINFORCE)  # what it may rest on since
GONE = "All that it rested on was deleted; it stays because it is pinned."


def find_bereft(bank: Bank) -> UnitQuerySet:
    """Those whose history does not tell it yet. Call inside a tenant transaction."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=OuterRef("pk"))
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk")).order_by("-number")
    gained_or_told = steps.filter(Q(cause__in=GAINING) | Q(cause=Cause.WITHDRAWN, reasoning=GONE))
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
