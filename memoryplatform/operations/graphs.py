"""Graphs to draw: memories with their links, entities with their co-occurrences."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F

from banks.models import Bank, CoOccurrence, Entity, Link
from memoryplatform.operations.banks.stats import KNOWN
from memoryplatform.operations.entities import EntityChoice, list_mentioned
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from tenants.scoping import TenantQuerySet

MOST_NODES = 1_000


@dataclass(frozen=True)
class MemoryGraph:
    """`links` are the stored links between shown units. `total` counts every unit that matches the filter."""

    units: list[DescribedUnit]
    links: list[Link]
    total: int


@dataclass(frozen=True)
class EntityGraph:
    """Tags select and count the entities. Pairs are counted over all memories."""

    entities: list[Entity]
    pairs: list[CoOccurrence]
    total: int


def draw_memories(bank: Bank, wanted: MemoryFilter, *, limit: int) -> MemoryGraph:
    """The newest units. Call inside a tenant transaction."""
    units = find_units(bank, wanted).filter(network__in=KNOWN).defer("embedding", "second_embedding")
    shown = describe_units(bank, list(units.order_by("-id")[:limit]))
    return MemoryGraph(shown, find_links(bank, shown), units.count())


def find_links(bank: Bank, shown: Sequence[DescribedUnit]) -> list[Link]:
    ids = [one.unit.id for one in shown]
    rows = Link.objects.for_tenant(bank.tenant_id).filter(source_id__in=ids, target_id__in=ids)
    return list(rows.order_by("id"))


def draw_entities(bank: Bank, choice: EntityChoice, *, limit: int, offset: int, least: int) -> EntityGraph:
    """The most mentioned entities, and pairs that occur together at least `least` times.

    Call inside a tenant transaction.
    """
    entities, total = list_mentioned(bank, choice, limit=limit, offset=offset)
    return EntityGraph(entities, list(find_pairs(bank, entities, least=least)), total)


def find_pairs(bank: Bank, entities: Sequence[Entity], *, least: int) -> TenantQuerySet[CoOccurrence]:
    rows = CoOccurrence.objects.for_tenant(bank.tenant_id)
    shown = rows.filter(first__in=entities, second__in=entities, count__gte=least)
    return shown.order_by(F("count").desc(), "id")
