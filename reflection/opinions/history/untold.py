"""Opinions that nothing tells any more: their words went with what they were read in, whatever facts spoke for them."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from banks.lifecycle.delete import Removed, delete_units
from banks.models import Bank, MemoryUnit, UnitSource
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.history.turning import FORMATION


def forget_untold(bank: Bank, unit_ids: Collection[UUID]) -> Removed:
    """A fact that moved an opinion did not tell it. Call inside the tenant transaction of the deletion, after
    `lock_memory`.
    """
    if not unit_ids:
        return Removed()
    opinions = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids, network=Network.OPINION)
    answered = find_formed_by_answers(bank, opinions.values_list("id", flat=True))
    supported = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=answered).values("unit_id")
    staying = opinions.filter(id__in=answered).filter(Q(id__in=supported) | Q(review=MemoryUnit.Review.PINNED))
    return delete_units(bank, set(opinions.exclude(id__in=staying.values("id")).values_list("id", flat=True)))


def find_formed_by_answers(bank: Bank, opinion_ids: Collection[UUID]) -> set[UUID]:
    """Those that were formed on facts: their words are an answer's, and were only said again by what went."""
    first = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=opinion_ids, number=FORMATION)
    grounded = first.filter(Q(evidence__isnull=False) | Q(grounds__isnull=False))
    return set(grounded.values_list("opinion_id", flat=True))
