"""What a refresh reads of an entity, in a bounded number of rows however much was told of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Case, Q, When

from banks.models import Bank, Entity, MemoryUnit, Mention, Relationship, RelationshipSource, UnitSource
from banks.models.unit import UnitQuerySet
from reflection.observations.types import Dossier, Fact, Held, Observation

FACTUAL = (MemoryUnit.Network.WORLD, MemoryUnit.Network.EXPERIENCE)
BEST = ("-proof_count", "-importance", "-mentioned_at", "id")
UNCOMMITTED = timedelta(minutes=1)  # what was altered, and could not be seen yet, when a refresh began
MOST_HELD = 20
SOURCES_OF_ONE = 10  # facts named for one relationship


@dataclass(frozen=True)
class Seen:
    """The last refresh read what was recorded until then. `is_altered`: some of it is otherwise by now, or gone."""

    until: datetime | None = None
    is_altered: bool = False

    @property
    def since(self) -> datetime | None:
        """What was touched after it is to be read."""
        return self.until - UNCOMMITTED if self.until and self.is_altered else self.until


@dataclass(frozen=True)
class Kept:
    """The observations that tell what their facts do, and the facts of those that no longer do."""

    known: tuple[Observation, ...] = ()
    untold: frozenset[UUID] = frozenset()


def read_dossier(bank: Bank, entity: Entity, *, seen: Seen, most_facts: int) -> Dossier:
    """Call inside a tenant transaction.

    Of a small entity all facts are read again. Of a large one only those that the observations do not tell, with what
    they tell already; where even they are too many, the best supported and newest.
    """
    facts = find_facts(bank, entity.id)
    count = facts.count()
    read = seen if count > most_facts else Seen()
    kept = read_kept(bank, entity.id, read)
    chosen = order_facts(facts, read, kept)[:most_facts]
    return Dossier(
        entity.id,
        entity.name,
        tuple(sorted(map(build_fact, chosen), key=lambda fact: (fact.said_at, fact.id))),
        kept.known,
        read_held(bank, entity.id),
        count,
        entity.first_seen_at,
        entity.last_seen_at,
    )


def read_kept(bank: Bank, entity_id: UUID, seen: Seen) -> Kept:
    """An observation has its words from all of its facts: where one was closed or altered since, it is made anew."""
    if seen.since is None:
        return Kept()
    known = read_known(bank, entity_id)
    sources = {source_id for one in known for source_id in one.source_ids}
    touched = Q(expired_at__isnull=False)
    if seen.is_altered:
        touched |= Q(updated_at__gt=seen.since)
    lost = set(MemoryUnit.objects.of_bank(bank).filter(touched, id__in=sources).values_list("id", flat=True))
    stands = [one for one in known if lost.isdisjoint(one.source_ids)]
    told = {source_id for one in stands for source_id in one.source_ids}
    return Kept(tuple(stands), frozenset(sources - told))


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


def find_facts(bank: Bank, entity_id: UUID) -> UnitQuerySet:
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    return MemoryUnit.objects.of_bank(bank).current().filter(network__in=FACTUAL, id__in=mentions).defer("embedding")


def build_fact(unit: MemoryUnit) -> Fact:
    return Fact(unit.id, unit.text, unit.mentioned_at, unit.occurred_start, unit.proof_count)


def find_observations(bank: Bank, entity_id: UUID) -> UnitQuerySet:
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    return MemoryUnit.objects.of_bank(bank).current().filter(network="observation", id__in=mentions).defer("embedding")


def read_known(bank: Bank, entity_id: UUID) -> tuple[Observation, ...]:
    units = list(find_observations(bank, entity_id).order_by("id"))
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


def read_held(bank: Bank, entity_id: UUID) -> tuple[Held, ...]:
    """The most proven and newest first."""
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(bank=bank)
    of_entity = rows.filter(Q(subject_id=entity_id) | Q(object_id=entity_id)).defer("embedding")
    held = list(of_entity.order_by("-proof_count", "-mentioned_at", "id")[:MOST_HELD])
    telling = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship__in=held)
    sources: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for relationship_id, unit_id in telling.order_by("-id").values_list("relationship_id", "unit_id"):
        if len(sources[relationship_id]) < SOURCES_OF_ONE:
            sources[relationship_id].append(unit_id)
    return tuple(Held(one.text, tuple(sources[one.id])) for one in held)
