"""`/v1/banks/{bank_id}/graph` and `/entities/graph`: nodes and edges, for drawing."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from banks.enums import EntityKind
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.fields import MATCHES, TagFilterInput
from memoryplatform.api.v1.memory import UnitOutput
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import bank_transaction, get_bank
from memoryplatform.operations.banks.stats import KNOWN
from memoryplatform.operations.entities import EntityChoice
from memoryplatform.operations.graphs import MOST_NODES, EntityGraph, MemoryGraph, draw_entities, draw_memories
from memoryplatform.operations.memories.memory_filter import MemoryFilter
from tenants.transactions import tenant_transaction

LONGEST_LABEL = 60  # characters


class GraphInput(TagFilterInput):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_NODES, default=MOST_NODES, help_text="Nodes.")
    type = serializers.ChoiceField(choices=KNOWN, required=False, default="", help_text="The network.")
    q = serializers.CharField(
        max_length=1_000, required=False, default="", help_text="Letters in the text or the context."
    )
    tags_match = serializers.ChoiceField(choices=MATCHES, default="all_strict")
    document_id = serializers.CharField(max_length=500, required=False, default="")
    chunk_id = serializers.UUIDField(required=False, default=None)


class EntityGraphInput(TagFilterInput):
    limit = serializers.IntegerField(min_value=1, max_value=MOST_NODES, default=MOST_NODES, help_text="Nodes.")
    offset = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0, help_text="Nodes to skip.")
    min_count = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, default=1, help_text="The number of shared memories that an edge needs."
    )


class GraphNodeData(Output):
    id = serializers.UUIDField()
    label = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        help_text="The beginning of the text."
    )
    text = serializers.CharField()


class EntityNodeData(Output):
    id = serializers.UUIDField()
    label = serializers.CharField(source="name")  # type: ignore[assignment]  # the wire's name, not DRF's attribute
    mentionCount = serializers.IntegerField(source="mention_count")  # noqa: N815  # the wire's name
    kind = serializers.ChoiceField(choices=EntityKind.choices)


class EdgeData(Output):
    id = serializers.CharField()
    source = serializers.UUIDField(source="source_id")  # type: ignore[assignment]  # the wire's name
    target = serializers.UUIDField(source="target_id")
    linkType = serializers.CharField(source="type")  # noqa: N815  # the wire's name
    weight = serializers.FloatField()


class EntityEdgeData(Output):
    id = serializers.CharField()
    source = serializers.UUIDField(source="first_id")  # type: ignore[assignment]  # the wire's name
    target = serializers.UUIDField(source="second_id")
    linkType = serializers.CharField()  # noqa: N815  # the wire's name
    weight = serializers.IntegerField(source="count", help_text="The number of memories that mention both.")


def wrap_data(shape: type[Output]) -> type[Output]:
    """The shape of a node or an edge: an object with `data`."""
    return type(f"{shape.__name__.removesuffix('Data')}Output", (Output,), {"data": shape()})


class GraphRowOutput(UnitOutput):
    created_at = serializers.DateTimeField(source="unit.recorded_at")


class GraphOutput(Output):
    nodes = wrap_data(GraphNodeData)(many=True)
    edges = wrap_data(EdgeData)(many=True, help_text="Stored links between shown nodes.")
    table_rows = GraphRowOutput(many=True, help_text="The memories of the nodes.")
    total_units = serializers.IntegerField(help_text="The number of all matches.")
    limit = serializers.IntegerField()


class EntityGraphOutput(Output):
    nodes = wrap_data(EntityNodeData)(many=True)
    edges = wrap_data(EntityEdgeData)(many=True, help_text="Edges between shown nodes.")
    total_entities = serializers.IntegerField(help_text="The number of all matches.")
    total_edges = serializers.IntegerField()
    limit = serializers.IntegerField()


class GraphView(TenantView):
    @route("get_graph", "Get memories and their links as a graph, newest first", GraphOutput, query=GraphInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        """Opinions are left out."""
        with bank_transaction(self.access, bank_id) as bank:
            graph = draw_memories(bank, build_filter(wanted), limit=wanted["limit"])
        return Response(describe_memories(graph, limit=wanted["limit"]))


class EntityGraphView(TenantView):
    @route(
        "get_entity_graph",
        "Get entities and their co-occurrences as a graph, most mentioned first",
        EntityGraphOutput,
        query=EntityGraphInput,
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        """Tags filter the nodes and their counts; edges count all memories."""
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
    texts = {shown.unit.id: shown.unit.rendered_text for shown in graph.units}
    nodes = [{"id": unit_id, "label": text[:LONGEST_LABEL], "text": text} for unit_id, text in texts.items()]
    edges = [EdgeData.describe(one, id=f"{one.source_id}-{one.target_id}-{one.type}") for one in graph.links]
    return {
        "nodes": [{"data": one} for one in nodes],
        "edges": [{"data": one} for one in edges],
        "table_rows": GraphRowOutput(graph.units, many=True).data,
        "total_units": graph.total,
        "limit": limit,
    }


def describe_entities(graph: EntityGraph, *, limit: int) -> dict[str, Any]:
    edges = [
        EntityEdgeData.describe(pair, id=f"{pair.first_id}-{pair.second_id}", linkType="cooccurrence")
        for pair in graph.pairs
    ]
    return {
        "nodes": [{"data": EntityNodeData.describe(entity)} for entity in graph.entities],
        "edges": [{"data": one} for one in edges],
        "total_entities": graph.total,
        "total_edges": len(graph.pairs),
        "limit": limit,
    }
