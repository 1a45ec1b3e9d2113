"""`/entities`: whom and what the memories are about, and who stands with whom."""

from typing import Any
from uuid import UUID

from django.db.models import F
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, CoOccurrence, Entity, Mention
from banks.models.entity import EntityQuerySet
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.v1.unit_shapes import MATCHES
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.entities import find_entities, show_entity
from memoryplatform.operations.memory_filter import MemoryFilter, find_units
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction


class EntityListInput(OffsetInput):
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    tag_groups = serializers.CharField(required=False, default="")

    def validate_tag_groups(self, value: str) -> str:
        """Passing it over would show what the caller wanted left out."""
        if value:
            raise NotOffered("Entities can be chosen by tags, not by tag_groups.")
        return value


class EntityGraphInput(EntityListInput):
    limit = serializers.IntegerField(min_value=0, default=1_000)
    min_count = serializers.IntegerField(min_value=0, default=1)


class PeerEntitiesView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(EntityListInput, request)
        with tenant_transaction(self.tenant_id):
            rows = find_tagged(get_bank(self.access, bank_id), wanted).order_by("-mention_count", "id")
            items = [describe_entity(entity) for entity in cut_page(rows, wanted)]
            return Response(describe_page(items, rows.count(), wanted))


class PeerEntityView(PeerView):
    def get(self, _request: Request, bank_id: str, entity_id: UUID) -> Response:
        shown = show_entity(self.access, bank_id, entity_id)
        observations = [{"text": unit.text, "mentioned_at": unit.mentioned_at} for unit in shown.observations]
        return Response(describe_entity(shown.entity) | {"observations": observations})


class PeerEntityGraphView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(EntityGraphInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            entities = find_tagged(bank, wanted)
            nodes = list(entities.order_by("-mention_count", "id")[: wanted["limit"]])
            edges = find_edges(bank, nodes, least=wanted["min_count"])
            return Response(
                {
                    "nodes": [{"data": describe_node(entity)} for entity in nodes],
                    "edges": [{"data": describe_edge(edge)} for edge in edges],
                    "total_entities": entities.count(),
                    "total_edges": edges.count(),
                    "limit": wanted["limit"],
                }
            )


def find_tagged(bank: Bank, wanted: dict[str, Any]) -> EntityQuerySet:
    """Those that a memory with such tags mentions. Call inside a tenant transaction."""
    entities = find_entities(bank).defer("embedding")
    if not wanted.get("tags"):
        return entities
    units = find_units(bank, MemoryFilter(tags=tuple(wanted["tags"]), tags_match=wanted["tags_match"]))
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=units.values("id"))
    return entities.filter(id__in=mentions.values("entity_id"))


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
