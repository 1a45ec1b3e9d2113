"""Entities as the memories with certain tags know them: how often, and from when to when they are mentioned."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, QuerySet

from banks.errors import EntityNotFound
from banks.models import Bank, Entity, MemoryUnit, Mention
from banks.models.unit import UnitQuerySet
from banks.words import Network
from memoryplatform.operations.entities.curating import ShownEntity, find_entities
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from retrieval.filters.types import TagMatch


@dataclass(frozen=True)
class EntityChoice:
    """All of them where no tags are named, unless `exact` asks for the memories that have none."""

    tags: tuple[str, ...] = ()
    tags_match: TagMatch = "any"

    @property
    def is_by_tags(self) -> bool:
        return bool(self.tags) or self.tags_match == "exact"


@dataclass(frozen=True)
class EntityPage:
    entities: list[Entity]
    total: int


def list_mentioned(bank: Bank, choice: EntityChoice, *, limit: int, offset: int) -> EntityPage:
    """The most mentioned first. Call inside a tenant transaction."""
    if not choice.is_by_tags:
        rows = find_entities(bank).defer("embedding").order_by("-mention_count", "id")
        return EntityPage(list(rows[offset : offset + limit]), rows.count())
    seen = count_mentions(bank, find_tagged(bank, choice))
    page = list(seen[offset : offset + limit])
    entities = find_entities(bank).defer("embedding").in_bulk([row["entity_id"] for row in page])
    return EntityPage([with_counts(entities[row["entity_id"]], row) for row in page], seen.count())


def see_tagged(bank: Bank, shown: ShownEntity, choice: EntityChoice) -> tuple[Entity, tuple[MemoryUnit, ...]]:
    """As the memories with such tags know it, with such observations. Call inside a tenant transaction."""
    units = find_tagged(bank, choice)
    row = count_mentions(bank, units).filter(entity_id=shown.entity.id).first()
    if row is None:
        raise EntityNotFound(shown.entity.id)
    told = set(units.filter(id__in=[unit.id for unit in shown.observations]).values_list("id", flat=True))
    return with_counts(shown.entity, row), tuple(unit for unit in shown.observations if unit.id in told)


def find_tagged(bank: Bank, choice: EntityChoice) -> UnitQuerySet:
    return find_units(bank, MemoryFilter(tags=choice.tags, tags_match=choice.tags_match))


def count_mentions(bank: Bank, units: UnitQuerySet) -> QuerySet[Any, Any]:
    """How often these mention each entity, and when first and last; the most mentioned first.

    An observation repeats what facts told already, so it is none of the mentions that an entity's own count has.
    """
    told = units.exclude(network=Network.OBSERVATION).values("id")
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=told).values("entity_id")
    counted = rows.annotate(count=Count("*"), first=Min("unit__mentioned_at"), last=Max("unit__mentioned_at"))
    return counted.order_by("-count", "entity_id")


def with_counts(entity: Entity, row: dict[str, Any]) -> Entity:
    """The entity as the counted memories know it. It is shown, and not saved."""
    entity.mention_count, entity.first_seen_at, entity.last_seen_at = row["count"], row["first"], row["last"]
    return entity
