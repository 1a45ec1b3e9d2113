"""`/v1/banks/{bank_id}/graph` and `/entities/graph`: nodes and edges, for drawing."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import CoOccurrence, Entity, Link
from banks.words import EntityKind
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.memory_output import UnitOutput
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.api.v1.tag_filter import TagFilterInput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.graphs import MOST_NODES, EntityGraph, MemoryGraph, draw_entities, draw_memories
from memoryplatform.operations.banks.known_networks import KNOWN
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.entities.mentioned import EntityChoice
from memoryplatform.operations.memories.described_units import DescribedUnit
from memoryplatform.operations.memories.memory_filter import MemoryFilter
from tenants.transactions import tenant_transaction

LONGEST_LABEL = 60  # characters


class GraphInput(TagFilterInput):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_NODES, default=MOST_NODES, help_text="Nodes.")
    type = serializers.ChoiceField(choices=KNOWN, required=False, default="", help_text="The network.")
    q = serializers.CharField(
        max_length=1_000, required=False, default="", help_text="Letters that the text or the context holds."
    )
    tags_match = serializers.ChoiceField(choices=MATCHES, default="all_strict")
    document_id = serializers.CharField(max_length=500, required=False, default="")
    chunk_id = serializers.UUIDField(required=False, default=None)


class EntityGraphInput(TagFilterInput):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_NODES, default=MOST_NODES, help_text="Nodes.")
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0, help_text="Nodes to pass over.")
    min_count = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, default=1, help_text="Of memories that two must share for an edge."
    )


class GraphNodeData(Output):
    id = serializers.UUIDField()
    label = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        help_text="How the text begins."
    )
    text = serializers.CharField()


class EntityNodeData(Output):
    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    mentionCount = serializers.IntegerField()  # noqa: N815  # the wire's name
    kind = serializers.ChoiceField(choices=EntityKind.choices)


class EdgeData(Output):
    id = serializers.CharField()
    source = serializers.UUIDField()  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    target = serializers.UUIDField()
    linkType = serializers.CharField()  # noqa: N815  # the wire's name
    weight = serializers.FloatField()


class EntityEdgeData(EdgeData):
    weight = serializers.IntegerField(help_text="How many memories mention both.")  # type: ignore[assignment]  # a count


class GraphNodeOutput(Output):
    data = GraphNodeData()  # type: ignore[assignment]  # the wire's name, not DRF's attribute


class EntityNodeOutput(Output):
    data = EntityNodeData()  # type: ignore[assignment]  # the wire's name, not DRF's attribute


class EdgeOutput(Output):
    data = EdgeData()  # type: ignore[assignment]  # the wire's name, not DRF's attribute


class EntityEdgeOutput(Output):
    data = EntityEdgeData()  # type: ignore[assignment]  # the wire's name, not DRF's attribute


class GraphRowOutput(UnitOutput):
    created_at = serializers.DateTimeField(source="unit.recorded_at")


class GraphOutput(Output):
    nodes = GraphNodeOutput(many=True)
    edges = EdgeOutput(many=True, help_text="Stored links between two that are shown.")
    table_rows = GraphRowOutput(many=True, help_text="The memories of the nodes.")
    total_units = serializers.IntegerField(help_text="All that the filter finds.")
    limit = serializers.IntegerField()


class EntityGraphOutput(Output):
    nodes = EntityNodeOutput(many=True)
    edges = EntityEdgeOutput(many=True, help_text="Between two that are shown.")
    total_entities = serializers.IntegerField(help_text="All that the filter finds.")
    total_edges = serializers.IntegerField()
    limit = serializers.IntegerField()


class GraphView(TenantView):
    @extend_schema(
        operation_id="get_graph",
        summary="Draw memories and their links, the newest first",
        description="Opinions are not drawn.",
        parameters=[GraphInput],
        responses={200: GraphOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = GraphInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        with tenant_transaction(self.tenant_id):
            graph = draw_memories(get_bank(self.access, bank_id), build_filter(wanted), limit=wanted["limit"])
        return Response(describe_memories(graph, limit=wanted["limit"]))


class EntityGraphView(TenantView):
    @extend_schema(
        operation_id="get_entity_graph",
        summary="Draw entities and who stands with whom, the most mentioned first",
        description="Tags choose and count the nodes; edges count all memories.",
        parameters=[EntityGraphInput],
        responses={200: EntityGraphOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        query = EntityGraphInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        with tenant_transaction(self.tenant_id):
            graph = draw_entities(
                get_bank(self.access, bank_id),
                read_choice(wanted),
                limit=wanted["limit"],
                offset=wanted["offset"],
                least=wanted["min_count"],
            )
        return Response(describe_entities(graph, limit=wanted["limit"]))


def build_filter(wanted: dict[str, Any]) -> MemoryFilter:
    return MemoryFilter(
        letters=wanted["q"],
        network=wanted["type"],
        tags=tuple(wanted.get("tags", ())),
        tags_match=wanted["tags_match"],
        document_id=wanted["document_id"],
        chunk_id=wanted["chunk_id"],
    )


def read_choice(wanted: dict[str, Any]) -> EntityChoice:
    return EntityChoice(tuple(wanted.get("tags", ())), wanted["tags_match"])


def describe_memories(graph: MemoryGraph, *, limit: int) -> dict[str, Any]:
    told = {
        "nodes": [{"data": describe_unit(shown)} for shown in graph.units],
        "edges": [{"data": describe_link(link)} for link in graph.links],
        "table_rows": graph.units,
        "total_units": graph.total,
        "limit": limit,
    }
    return dict(GraphOutput(told).data)


def describe_entities(graph: EntityGraph, *, limit: int) -> dict[str, Any]:
    told = {
        "nodes": [{"data": describe_entity(entity)} for entity in graph.entities],
        "edges": [{"data": describe_pair(pair)} for pair in graph.pairs],
        "total_entities": graph.total,
        "total_edges": len(graph.pairs),
        "limit": limit,
    }
    return dict(EntityGraphOutput(told).data)


def describe_unit(shown: DescribedUnit) -> dict[str, Any]:
    return {"id": shown.unit.id, "label": shown.unit.text[:LONGEST_LABEL], "text": shown.unit.text}


def describe_entity(entity: Entity) -> dict[str, Any]:
    return {"id": entity.id, "label": entity.name, "mentionCount": entity.mention_count, "kind": entity.kind}


def describe_link(link: Link) -> dict[str, Any]:
    return {
        "id": f"{link.source_id}-{link.target_id}-{link.type}",
        "source": link.source_id,
        "target": link.target_id,
        "linkType": link.type,
        "weight": link.weight,
    }


def describe_pair(pair: CoOccurrence) -> dict[str, Any]:
    return {
        "id": f"{pair.first_id}-{pair.second_id}",
        "source": pair.first_id,
        "target": pair.second_id,
        "linkType": "cooccurrence",
        "weight": pair.count,
    }
