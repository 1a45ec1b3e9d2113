"""What a refresh reads of an entity, in a bounded number of rows however much was told of it."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Entity, MemoryUnit, Mention, Relationship, RelationshipSource, UnitSource
from banks.models.unit import UnitQuerySet
from reflection.observations.types import Dossier, Fact, Held, Observation

FACTUAL = (MemoryUnit.Network.WORLD, MemoryUnit.Network.EXPERIENCE)
MOST_HELD = 20
SOURCES_OF_ONE = 10  # facts named for one relationship


def read_dossier(bank: Bank, entity: Entity, *, seen_until: datetime | None, most_facts: int) -> Dossier:
    """Call inside a tenant transaction.

    Of a small entity all facts are read again. Of a large one only those since `seen_until`, with what the
    observations tell already; where even they are too many, the best supported and newest.
    """
    facts = find_facts(bank, entity.id)
    count = facts.count()
    known = read_known(bank, entity.id) if count > most_facts and seen_until else ()
    unseen = facts.filter(recorded_at__gt=seen_until) if known else facts
    chosen = unseen.order_by("-proof_count", "-importance", "-mentioned_at", "id")[:most_facts]
    return Dossier(
        entity.id,
        entity.name,
        tuple(sorted(map(build_fact, chosen), key=lambda fact: (fact.said_at, fact.id))),
        known,
        read_held(bank, entity.id),
        count,
        entity.first_seen_at,
        entity.last_seen_at,
    )


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
