"""Graphs to draw: memories with their links, entities with their co-occurrences."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Left

from banks.models import Bank, CoOccurrence, Entity, Link, MemoryUnit, Mention, Relationship, UnitSource
from banks.models.unit import UnitQuerySet
from banks.rendering import render_text
from memoryplatform.operations.banks.stats import KNOWN
from memoryplatform.operations.entities import EntityChoice, find_entities, get_entity, list_mentioned
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.memories.single import get_unit
from tenants.scoping import TenantQuerySet

MOST_NODES = 1_000
MOST_NEIGHBOURS = 40  # of each kind
LONGEST_LABEL = 160
ENTITY, MEMORY = "entity", "memory"


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


@dataclass(frozen=True)
class Node:
    """An entity or a memory. `group` is the kind of an entity or the network of a memory."""

    type: str
    id: UUID
    label: str
    group: str
    weight: int = 1

    @property
    def key(self) -> str:
        return f"{self.type}:{self.id}"


@dataclass(frozen=True)
class Edge:
    """`type` is mention, relationship, semantic, causal or evidence. `label` says more: "lives_in", "causes".

    `text` is the sentence of a relationship: "Alice lives in Lisbon".
    """

    source: str
    target: str
    type: str
    label: str = ""
    text: str = ""


@dataclass(frozen=True)
class Graph:
    nodes: list[Node]
    edges: list[Edge]


def draw_newest(bank: Bank, *, limit: int) -> Graph:
    """The newest current memories, and the entities that most of them mention. Call inside a tenant transaction."""
    units = MemoryUnit.objects.of_bank(bank).current().order_by("-mentioned_at", "-id")
    memories = read_memories(units[: limit * 3 // 4])
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=[node.id for node in memories])
    counts = Counter(rows.values_list("entity_id", flat=True))
    entities = read_entities(bank, [entity_id for entity_id, _ in counts.most_common(limit // 4)])
    return Graph([*entities, *memories], list(connect(bank, entities, memories)))


def draw_neighbours(bank: Bank, key_type: str, node_id: UUID) -> Graph:
    """The node first, then its neighbours. Raises EntityNotFound or MemoryNotFound.

    Call inside a tenant transaction.
    """
    near = find_near_entity(bank, node_id) if key_type == ENTITY else find_near_memory(bank, node_id)
    entity_ids, unit_ids = near
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids).order_by("-mentioned_at", "-id")
    entities, memories = read_entities(bank, entity_ids), read_memories(units)
    nodes = sorted([*entities, *memories], key=lambda node: node.id != node_id)
    return Graph(nodes, list(connect(bank, entities, memories)))


def find_near_entity(bank: Bank, entity_id: UUID) -> tuple[set[UUID], set[UUID]]:
    get_entity(bank, entity_id)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id)
    units = MemoryUnit.objects.of_bank(bank).current().filter(id__in=mentions.values("unit_id"))
    newest = units.order_by("-mentioned_at", "-id").values_list("id", flat=True)[:MOST_NEIGHBOURS]
    rows = Relationship.objects.of_bank(bank).current().filter(Q(subject_id=entity_id) | Q(object_id=entity_id))
    related = rows.order_by("-mentioned_at", "-id").values_list("subject_id", "object_id")[:MOST_NEIGHBOURS]
    return {entity_id, *(one for pair in related for one in pair if one)}, set(newest)


def find_near_memory(bank: Bank, unit_id: UUID) -> tuple[set[UUID], set[UUID]]:
    get_unit(bank, unit_id)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=unit_id).values_list("entity_id", flat=True)
    links = Link.objects.for_tenant(bank.tenant_id).filter(Q(source_id=unit_id) | Q(target_id=unit_id))
    linked = links.order_by("-weight", "id").values_list("source_id", "target_id")[:MOST_NEIGHBOURS]
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(Q(unit_id=unit_id) | Q(other_unit_id=unit_id))
    proofs = sources.exclude(other_unit=None).order_by("id").values_list("unit_id", "other_unit_id")[:MOST_NEIGHBOURS]
    pairs = [*linked, *proofs]
    return set(mentions[:MOST_NEIGHBOURS]), {unit_id, *(one for pair in pairs for one in pair if one)}


def find_nodes(bank: Bank, words: str, *, limit: int) -> list[Node]:
    """Entities by the beginning of a name, then memories by their words. No words match every node.

    Call inside a tenant transaction.
    """
    named = find_entities(bank, name=words).order_by("-mention_count", "id").values_list("id", flat=True)
    units = find_units(bank, MemoryFilter(words=words)).order_by("-mentioned_at", "-id")
    return [*read_entities(bank, list(named[:limit])), *read_memories(units[:limit])]


def read_entities(bank: Bank, ids: Collection[UUID]) -> list[Node]:
    rows = Entity.objects.of_bank(bank).filter(id__in=ids).order_by("-mention_count", "id")
    return [Node(ENTITY, *row) for row in rows.values_list("id", "name", "kind", "mention_count")]


def read_memories(units: UnitQuerySet) -> list[Node]:
    rows = units.annotate(start_of_text=Left("text", LONGEST_LABEL))
    return [
        Node(MEMORY, unit_id, render_text(speaker, text), network)
        for unit_id, speaker, text, network in rows.values_list("id", "speaker", "start_of_text", "network")
    ]


def connect(bank: Bank, entities: Iterable[Node], memories: Iterable[Node]) -> Iterator[Edge]:
    """The edges between these nodes. A query names one end only: thousands of ids are slow to send."""
    of_entities, of_units = {node.id for node in entities}, {node.id for node in memories}
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=of_units).order_by("id")
    for unit_id, entity_id in mentions.values_list("unit_id", "entity_id"):
        if entity_id in of_entities:
            yield Edge(f"{MEMORY}:{unit_id}", f"{ENTITY}:{entity_id}", "mention")
    related = Relationship.objects.of_bank(bank).current().filter(subject_id__in=of_entities).order_by("id")
    columns = ("subject_id", "object_id", "relation", "text")
    for subject_id, object_id, relation, text in related.values_list(*columns):
        if object_id in of_entities:
            yield Edge(f"{ENTITY}:{subject_id}", f"{ENTITY}:{object_id}", "relationship", relation, text)
    links = Link.objects.for_tenant(bank.tenant_id).filter(source_id__in=of_units).order_by("id")
    for source_id, target_id, link in links.values_list("source_id", "target_id", "type"):
        if target_id in of_units:
            kind = "semantic" if link == Link.Type.SEMANTIC else "causal"
            yield Edge(f"{MEMORY}:{source_id}", f"{MEMORY}:{target_id}", kind, link)
    proofs = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=of_units).order_by("id")
    for unit_id, other_id, role in proofs.exclude(other_unit=None).values_list("unit_id", "other_unit_id", "role"):
        if other_id in of_units:
            yield Edge(f"{MEMORY}:{unit_id}", f"{MEMORY}:{other_id}", "evidence", role)
