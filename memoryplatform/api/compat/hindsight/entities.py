"""`/entities`: whom and what the memories are about, and who stands with whom."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Max, Min, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import EntityNotFound
from banks.models import Bank, CoOccurrence, Entity, MemoryUnit, Mention
from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.entities import ShownEntity, find_entities, show_entity
from memoryplatform.operations.memory_filter import MemoryFilter, find_units
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class EntityPage:
    entities: list[Entity]
    total: int


class EntityInput(Input):
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    tag_groups = serializers.CharField(required=False, default="")

    def validate_tag_groups(self, value: str) -> str:
        """Passing it over would show what the caller wanted left out."""
        if value:
            raise NotOffered("Entities can be chosen by tags, not by tag_groups.")
        return value


class EntityListInput(EntityInput, OffsetInput):
    pass


class EntityGraphInput(EntityListInput):
    limit = serializers.IntegerField(min_value=0, default=1_000)
    min_count = serializers.IntegerField(min_value=0, default=1)


class PeerEntitiesView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(EntityListInput, request)
        with tenant_transaction(self.tenant_id):
            page = list_entities(get_bank(self.access, bank_id), wanted)
            items = [describe_entity(entity) for entity in page.entities]
            return Response(describe_page(items, page.total, wanted))


class PeerEntityView(PeerView):
    def get(self, request: Request, bank_id: str, entity_id: UUID) -> Response:
        wanted = read_query(EntityInput, request)
        shown = show_entity(self.access, bank_id, entity_id)
        entity, observations = shown.entity, shown.observations
        if is_by_tags(wanted):
            with tenant_transaction(self.tenant_id):
                entity, observations = see_tagged(get_bank(self.access, bank_id), shown, wanted)
        told = [{"text": unit.text, "mentioned_at": unit.mentioned_at} for unit in observations]
        return Response(describe_entity(entity) | {"observations": told})


class PeerEntityGraphView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(EntityGraphInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            page = list_entities(bank, wanted)
            edges = find_edges(bank, page.entities, least=wanted["min_count"])
            return Response(
                {
                    "nodes": [{"data": describe_node(entity)} for entity in page.entities],
                    "edges": [{"data": describe_edge(edge)} for edge in edges],
                    "total_entities": page.total,
                    "total_edges": edges.count(),
                    "limit": wanted["limit"],
                }
            )


def is_by_tags(wanted: dict[str, Any]) -> bool:
    return bool(wanted.get("tags")) or wanted["tags_match"] == "exact"


def list_entities(bank: Bank, wanted: dict[str, Any]) -> EntityPage:
    """The most mentioned first. By tags: those that such a memory mentions. Call inside a tenant transaction."""
    if not is_by_tags(wanted):
        rows = find_entities(bank).defer("embedding").order_by("-mention_count", "id")
        return EntityPage(cut_page(rows, wanted), rows.count())
    seen = count_mentions(bank, find_tagged(bank, wanted))
    page = cut_page(seen, wanted)
    entities = find_entities(bank).defer("embedding").in_bulk([row["entity_id"] for row in page])
    return EntityPage([with_counts(entities[row["entity_id"]], row) for row in page], seen.count())


def find_tagged(bank: Bank, wanted: dict[str, Any]) -> UnitQuerySet:
    return find_units(bank, MemoryFilter(tags=tuple(wanted.get("tags", ())), tags_match=wanted["tags_match"]))


def count_mentions(bank: Bank, units: UnitQuerySet) -> QuerySet[Any, Any]:
    """How often these memories mention each entity, and when first and last; the most mentioned first."""
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=units.values("id")).values("entity_id")
    counted = rows.annotate(count=Count("*"), first=Min("unit__mentioned_at"), last=Max("unit__mentioned_at"))
    return counted.order_by("-count", "entity_id")


def with_counts(entity: Entity, row: dict[str, Any]) -> Entity:
    """The entity as the counted memories know it. It is shown, and not saved."""
    entity.mention_count, entity.first_seen_at, entity.last_seen_at = row["count"], row["first"], row["last"]
    return entity


def see_tagged(bank: Bank, shown: ShownEntity, wanted: dict[str, Any]) -> tuple[Entity, tuple[MemoryUnit, ...]]:
    """As the memories with such tags know it, with such observations. Call inside a tenant transaction."""
    units = find_tagged(bank, wanted)
    row = count_mentions(bank, units).filter(entity_id=shown.entity.id).first()
    if row is None:
        raise EntityNotFound(shown.entity.id)
    told = set(units.filter(id__in=[unit.id for unit in shown.observations]).values_list("id", flat=True))
    return with_counts(shown.entity, row), tuple(unit for unit in shown.observations if unit.id in told)


def find_edges(bank: Bank, nodes: list[Entity], *, least: int) -> TenantQuerySet[CoOccurrence]:
    """Between two that are shown. Call inside a tenant transaction."""
    rows = CoOccurrence.objects.for_tenant(bank.tenant_id).filter(first__in=nodes, second__in=nodes, count__gte=least)
    return rows.order_by(F("count").desc(), "id")


def describe_entity(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "canonical_name": entity.name,
        "mention_count": entity.mention_count,
        "first_seen": entity.first_seen_at,
        "last_seen": entity.last_seen_at,
        "metadata": {"kind": entity.kind},
    }


def describe_node(entity: Entity) -> dict[str, Any]:
    return {"id": entity.id, "label": entity.name, "mentionCount": entity.mention_count, "kind": entity.kind}


def describe_edge(edge: CoOccurrence) -> dict[str, Any]:
    return {
        "id": f"{edge.first_id}-{edge.second_id}",
        "source": edge.first_id,
        "target": edge.second_id,
        "linkType": "cooccurrence",
        "weight": edge.count,
    }
