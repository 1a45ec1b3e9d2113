"""Descriptions that a change by hand made wrong: a memory that they were made of is told otherwise, or no longer."""

from collections.abc import Collection, Iterable
from uuid import UUID

from banks.models import Bank, Entity, MemoryUnit, Mention, Relationship
from banks.words import FACTUAL


def forget_descriptions(
    bank: Bank, unit: MemoryUnit, *, networks: Collection[str], relationships: Iterable[Relationship] = ()
) -> None:
    """Of whom the unit speaks, and the relationships that came or went with it. `networks` are its own, now and before:
    nobody is described by what is no fact.

    Call inside a tenant transaction, after `lock_memory`.
    """
    entity_ids = {one for row in relationships for one in (row.subject_id, row.object_id) if one is not None}
    if FACTUAL.intersection(networks):
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=unit)
        entity_ids |= set(mentions.values_list("entity_id", flat=True))
    empty_descriptions(bank, entity_ids)


def empty_descriptions(bank: Bank, entity_ids: Collection[UUID]) -> None:
    Entity.objects.of_bank(bank).filter(id__in=entity_ids).update(summary="", attributes={}, embedding=None)
