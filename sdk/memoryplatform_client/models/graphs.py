from datetime import datetime
from uuid import UUID

from memoryplatform_client.models.base import Model
from memoryplatform_client.models.memories import MemoryItem


class MemoryNodeData(Model):
    id: UUID
    label: str
    text: str


class EntityNodeData(Model):
    id: UUID
    label: str
    mentionCount: int  # noqa: N815  # the wire's name
    kind: str


class EdgeData(Model):
    id: str
    source: UUID
    target: UUID
    linkType: str  # noqa: N815  # the wire's name
    weight: float


class MemoryNode(Model):
    data: MemoryNodeData


class EntityNode(Model):
    data: EntityNodeData


class Edge(Model):
    data: EdgeData


class GraphRow(MemoryItem):
    created_at: datetime


class MemoryGraph(Model):
    """`total_units` counts all memories that match the filter, shown or not."""

    nodes: list[MemoryNode]
    edges: list[Edge]
    table_rows: list[GraphRow]
    total_units: int
    limit: int


class EntityGraph(Model):
    """The weight of an edge is the number of memories that mention both entities."""

    nodes: list[EntityNode]
    edges: list[Edge]
    total_entities: int
    total_edges: int
    limit: int
