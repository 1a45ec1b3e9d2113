"""Deletes observations and summaries whose facts got other tags or another text. They are written again."""

from collections.abc import Collection
from uuid import UUID

from banks.enums import FACTUAL
from banks.lifecycle.deleting import Removed, delete_units
from banks.models import Bank, MemoryUnit, Mention, Message, UnitSource, UnitTag


def delete_summaries_of(bank: Bank, unit_ids: Collection[UUID]) -> Removed:
    """Delete the observations with one of these facts as a source, and the summaries of the months in which one was
    said, open or closed. Each is written again under the tags of its own sources.

    `touched_entities` are also the entities that the facts mention. Call inside the tenant transaction that changed
    the tags, after `lock_memory`.
    """
    units = MemoryUnit.objects.of_bank(bank)
    facts = set(units.filter(id__in=unit_ids, network__in=FACTUAL).values_list("id", flat=True))
    if not facts:
        return Removed()
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=facts)
    mentioned = frozenset(mentions.values_list("entity_id", flat=True))
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    said = sources.filter(unit_id__in=facts, message__isnull=False).values("message_id")
    episodes = Message.objects.of_bank(bank).filter(id__in=said, episode__isnull=False).values("episode_id")
    summaries = sources.filter(role=UnitSource.Role.SUMMARISES)
    ids = set(summaries.filter(other_unit_id__in=facts).values_list("unit_id", flat=True))
    ids |= set(summaries.filter(episode_id__in=episodes).values_list("unit_id", flat=True))
    return delete_units(bank, ids) + Removed(touched_entities=mentioned, retagged=frozenset(facts))


def delete_observations_of(bank: Bank, fact_ids: Collection[UUID]) -> Removed:
    """Delete the observations with one of these facts as a source, open or closed: their words come from the facts.

    Call inside the tenant transaction that changed the facts, after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(role=UnitSource.Role.SUMMARISES)
    return delete_units(bank, set(sources.filter(other_unit_id__in=fact_ids).values_list("unit_id", flat=True)))


def find_tagged_under_untagged_summaries(bank: Bank) -> set[UUID]:
    """Tagged units with an untagged observation or summary, which only an earlier version of the service wrote.

    Call inside a tenant transaction.
    """
    tags = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id).values("unit_id")
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    plain = sources.filter(unit__bank=bank, role=UnitSource.Role.SUMMARISES).exclude(unit_id__in=tags)
    named = plain.filter(other_unit_id__in=tags).values_list("other_unit_id", flat=True)
    episodes = plain.filter(episode__isnull=False).values("episode_id")
    said = sources.filter(message__episode_id__in=episodes, unit_id__in=tags).values_list("unit_id", flat=True)
    return {unit_id for unit_id in (*named, *said) if unit_id}
