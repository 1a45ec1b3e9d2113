"""What a refresh reads of an entity under some tags, in a bounded number of rows however much was told of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Q, When
from django.utils import timezone

from banks.entities.yet_to_come import begins_after
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.models.unit import UnitQuerySet
from banks.words import FACTUAL
from reflection.observations.scopes import filter_worn
from reflection.observations.ties import Ties, read_held, read_ties
from reflection.observations.told import Seen, Told
from reflection.observations.types import Dossier, Fact, Observation

BEST = ("-proof_count", "-importance", "-mentioned_at", "id")


@dataclass(frozen=True)
class Kept:
    """The observations that tell what their facts do, and the facts of those that no longer do."""

    known: tuple[Observation, ...] = ()
    untold: frozenset[UUID] = frozenset()


def read_dossier(bank: Bank, entity: Entity, told: Told, *, most_facts: int) -> Dossier:
    """Call inside a tenant transaction.

    Of a small scope all facts are read again. Of a large one only those that the observations do not tell, with what
    they tell already; where even they are too many, the best supported and newest.
    """
    facts = find_facts(bank, entity.id, told)
    count = facts.count()
    read = told.seen if count > most_facts else Seen()
    kept = read_kept(bank, entity.id, told, read)
    chosen = list(order_facts(facts, read, kept)[:most_facts])
    now = timezone.now()
    ties = read_ties(bank, chosen, now=now)
    built = (build_fact(unit, ties.get(unit.id, Ties()), now=now) for unit in chosen)
    return Dossier(
        entity.id,
        entity.name,
        tuple(sorted(built, key=lambda fact: (fact.said_at, fact.id))),
        kept.known,
        read_held(bank, entity.id, told, now=now),
        count,
    )


def read_kept(bank: Bank, entity_id: UUID, told: Told, seen: Seen) -> Kept:
    """An observation has its words from all of its facts: where one was closed or altered since, has other tags by now
    or speaks of others, it is made anew.
    """
    if seen.since is None:
        return Kept()
    known = read_known(bank, entity_id, tags_hash=told.scope.tags_hash)
    sources = {source_id for one in known for source_id in one.source_ids}
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id, unit_id__in=sources)
    own = MemoryUnit.objects.of_bank(bank).filter(id__in=mentions.values("unit_id"))
    rows = filter_worn(bank, own, told.tags)
    touched = Q(expired_at__isnull=False)
    if seen.is_altered:
        touched |= Q(updated_at__gt=seen.since)
    stand = sources.intersection(rows.exclude(touched).values_list("id", flat=True))
    stands = [one for one in known if stand.issuperset(one.source_ids)]
    named = {source_id for one in stands for source_id in one.source_ids}
    return Kept(tuple(stands), frozenset(sources - named))


def order_facts(facts: UnitQuerySet, seen: Seen, kept: Kept) -> UnitQuerySet:
    """Where facts were altered all are read, those first that nothing tells: a deletion took whole observations along,
    and nobody knows any more what else they rested on.
    """
    if seen.since is None:
        return facts.order_by(*BEST)
    untold = Q(updated_at__gt=seen.since) | Q(id__in=kept.untold)
    if kept.known and not seen.is_altered:
        return facts.filter(untold).order_by(*BEST)
    return facts.order_by(Case(When(untold, then=0), default=1), *BEST)


def find_facts(bank: Bank, entity_id: UUID, told: Told) -> UnitQuerySet:
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    units = MemoryUnit.objects.of_bank(bank).current().filter(network__in=FACTUAL, tags_hash=told.scope.tags_hash)
    return filter_worn(bank, units.filter(id__in=mentions), told.tags).defer("embedding")


def build_fact(unit: MemoryUnit, ties: Ties, *, now: datetime) -> Fact:
    """An event has its day, and stays one that happened; what is so from a day on, or was, is told as that."""
    if unit.occurred_start is not None:
        return Fact(unit.id, unit.text, unit.mentioned_at, unit.occurred_start, unit.proof_count)
    begins = unit.valid_from if begins_after(unit.valid_from, now) else ties.begins
    return Fact(unit.id, unit.text, unit.mentioned_at, None, unit.proof_count, begins, ties.is_over)


def find_observations(bank: Bank, entity_id: UUID, *, tags_hash: bytes | None = None) -> UnitQuerySet:
    """Under whichever tags, where none are meant."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    units = MemoryUnit.objects.of_bank(bank).current().filter(network="observation", id__in=mentions)
    return (units if tags_hash is None else units.filter(tags_hash=tags_hash)).defer("embedding")


def read_known(bank: Bank, entity_id: UUID, *, tags_hash: bytes | None = None) -> tuple[Observation, ...]:
    units = list(find_observations(bank, entity_id, tags_hash=tags_hash).order_by("id"))
    sources = read_sources(bank, [unit.id for unit in units])
    return tuple(Observation(unit.text, tuple(sources[unit.id])) for unit in units)


def read_sources(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """The facts that each rests on."""
    return read_summed_up(bank, unit_ids, "other_unit_id")


def read_episodes(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What the summary of a month rests on."""
    return read_summed_up(bank, unit_ids, "episode_id")


def read_summed_up(bank: Bank, unit_ids: Sequence[UUID], column: str) -> dict[UUID, list[UUID]]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, role=UnitSource.Role.SUMMARISES)
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for unit_id, source_id in rows.order_by("id").values_list("unit_id", column):
        if source_id:
            found[unit_id].append(source_id)
    return found
