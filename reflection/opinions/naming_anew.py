"""Whom an opinion speaks of once it has other words. What the words named and name no more goes, with its count."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest

from banks.entities.recount import drop_unmentioned, forget_names, recount_companions
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from reflection.opinions.named_in_bank import blank, find_in_bank
from reflection.opinions.naming import About, SpokenOf, has_name, read_spoken_of, record_spoken_of


@dataclass(frozen=True)
class NewWords:
    """`former` are the words before. `told_by` are memories that the new ones came from, besides the evidence, and
    `given` the names that came with them.
    """

    text: str
    former: str = ""
    told_by: tuple[UUID, ...] = ()
    given: tuple[str, ...] = ()


def name_anew(bank: Bank, opinion: MemoryUnit, words: NewWords) -> None:
    """Call inside a tenant transaction, after `lock_memory`, when the opinion has its new words."""
    there = {one.entity_id for one in read_linked(bank, opinion.id)}
    about = find_about(bank, opinion.id, words)
    part_with(bank, opinion, there - {one.entity_id for one in about.chosen})
    coming = [one for one in about.chosen if one.entity_id not in there]
    record_spoken_of(bank, [About(opinion.id, coming, about.called)], now=opinion.mentioned_at)


def find_about(bank: Bank, opinion_id: UUID, words: NewWords) -> About:
    """Those of its own, of its evidence, and of the bank that the new words name, as they do when an opinion is formed;
    and those that no words of it named: who linked them knew more. Call inside a tenant transaction.
    """
    linked = read_linked(bank, opinion_id)
    known = {one.entity_id: one for one in (*linked, *read_evidence(bank, opinion_id, words.told_by))}
    given = [name for name in words.given if has_name(words.text, name) or not has_name(words.former, name)]
    named = [one for one in known.values() if one.is_named_in(words.text) or any(map(one.is_called, given))]
    unnamed = [one for one in linked if not one.is_named_in(words.former) and one not in named]
    (others,) = find_in_bank(bank, [blank(words.text, named)])
    chosen = [*named, *unnamed, *others.found]
    names = dict.fromkeys((*given, *others.doubtful))
    called = [name for name in names if not any(one.is_called(name) for one in chosen)]
    return About(opinion_id, chosen, called)


def read_linked(bank: Bank, opinion_id: UUID) -> list[SpokenOf]:
    (linked,) = read_spoken_of(bank, [[opinion_id]])
    return linked


def read_evidence(bank: Bank, opinion_id: UUID, told_by: Sequence[UUID]) -> list[SpokenOf]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, other_unit__isnull=False)
    facts = [fact_id for fact_id in sources.values_list("other_unit_id", flat=True) if fact_id]
    (spoken_of,) = read_spoken_of(bank, [[*facts, *told_by]])
    return spoken_of


def part_with(bank: Bank, opinion: MemoryUnit, entity_ids: set[UUID]) -> None:
    """What is known of them is told by facts, and stays."""
    if not entity_ids:
        return
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=opinion, entity_id__in=entity_ids)
    heard = list(mentions.values_list("entity_id", "name"))
    mentions.delete()
    forget_names(bank, heard)
    counted = Entity.objects.of_bank(bank).filter(id__in=entity_ids)
    counted.update(mention_count=Greatest(F("mention_count") - 1, 0))
    there = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    drop_unmentioned(bank, entity_ids - set(there.values_list("entity_id", flat=True)))
    recount_companions(bank, list(counted.values_list("id", flat=True)))
