"""Memories that got other tags: what was made of them under the former ones must not be seen by these any more."""

from collections.abc import Collection
from uuid import UUID

from banks.lifecycle.delete import Removed, delete_units
from banks.models import Bank, MemoryUnit, Mention, Message, UnitSource, UnitTag
from banks.words import FACTUAL


def forget_what_sums_up(bank: Bank, unit_ids: Collection[UUID]) -> Removed:
    """Observations that name a fact of these, and summaries of the months in which one was said, live or closed. They
    are made anew, each under the tags of what it tells.

    `touched_entities` are also those that the facts speak of. Call inside the tenant transaction that changed the
    tags, after `lock_memory`.
    """
    units = MemoryUnit.objects.of_bank(bank)
    facts = set(units.filter(id__in=unit_ids, network__in=FACTUAL).values_list("id", flat=True))
    if not facts:
        return Removed()
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=facts)
    spoken_of = frozenset(mentions.values_list("entity_id", flat=True))
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    said = sources.filter(unit_id__in=facts, message__isnull=False).values("message_id")
    episodes = Message.objects.of_bank(bank).filter(id__in=said, episode__isnull=False).values("episode_id")
    summing_up = sources.filter(role=UnitSource.Role.SUMMARISES)
    ids = set(summing_up.filter(other_unit_id__in=facts).values_list("unit_id", flat=True))
    ids |= set(summing_up.filter(episode_id__in=episodes).values_list("unit_id", flat=True))
    return delete_units(bank, ids) + Removed(touched_entities=spoken_of, retagged=frozenset(facts))


def forget_observations(bank: Bank, fact_ids: Collection[UUID]) -> Removed:
    """Those that name one of these, live or closed: their words are what the facts told. They are made anew.

    Call inside the tenant transaction that changed the facts, after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(role=UnitSource.Role.SUMMARISES)
    return delete_units(bank, set(sources.filter(other_unit_id__in=fact_ids).values_list("unit_id", flat=True)))


def find_summed_up_without_tags(bank: Bank) -> set[UUID]:
    """Tagged memories that something without tags sums up: so it is in what an earlier version wrote.

    Call inside a tenant transaction.
    """
    tags = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id).values("unit_id")
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    plain = sources.filter(unit__bank=bank, role=UnitSource.Role.SUMMARISES).exclude(unit_id__in=tags)
    named = plain.filter(other_unit_id__in=tags).values_list("other_unit_id", flat=True)
    episodes = plain.filter(episode__isnull=False).values("episode_id")
    said = sources.filter(message__episode_id__in=episodes, unit_id__in=tags).values_list("unit_id", flat=True)
    return {unit_id for unit_id in (*named, *said) if unit_id}
