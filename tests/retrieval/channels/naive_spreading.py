"""A naive reference of spreading activation and its edges: in memory, over all pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from retrieval.channels.graph import MULTIPLIERS, Edge, EdgeType

INVERSE = {"causes": "caused_by", "caused_by": "causes"}


@dataclass
class Node:
    id: UUID
    at: datetime
    entities: frozenset[str] = frozenset()
    is_visible: bool = True


@dataclass
class Graph:
    nodes: list[Node]
    links: list[tuple[UUID, UUID, str, float]] = field(default_factory=list)
    mention_counts: Mapping[str, int] = field(default_factory=dict)


def naive_spread(
    entries: Mapping[UUID, float], edges: Sequence[Edge], *, nodes: int, frontier: int = 20, hops: int = 5
) -> dict[UUID, float]:
    held = dict(entries)
    rising = set(entries)
    hop = 0
    while hop < hops and rising and len(held) < nodes:
        going = sorted(rising, key=lambda node: (-held[node], node))[:frontier]
        offers: dict[UUID, float] = {}
        for edge in edges:
            if edge.source in going:
                value = held[edge.source] * edge.weight * 0.8 * MULTIPLIERS[edge.type]
                offers[edge.target] = max(offers.get(edge.target, 0.0), value)
        rising = {node for node, value in offers.items() if value >= 0.1 and value > held.get(node, 0.0)}
        held |= {node: offers[node] for node in rising}
        hop += 1
    best = sorted(held, key=lambda node: (-held[node], node))[:nodes]
    return {node: held[node] for node in best}


def naive_edges(graph: Graph, *, newest: int, nearest: int) -> set[Edge]:
    """Each edge once, between visible nodes only."""
    visible = {node.id: node for node in graph.nodes if node.is_visible}
    edges = set()
    for source, target, kind, weight in graph.links:
        if source in visible and target in visible:
            edges |= {
                Edge(source, target, EdgeType(kind), weight),
                Edge(target, source, EdgeType(INVERSE.get(kind, kind)), weight),
            }
    for node in visible.values():
        edges |= entity_edges(node, visible, graph, newest)
        edges |= time_edges(node, visible, nearest)
    return edges


def entity_edges(node: Node, visible: Mapping[UUID, Node], graph: Graph, newest: int) -> set[Edge]:
    edges = set()
    for name in node.entities:
        sharing = sorted((other.id for other in visible.values() if name in other.entities), reverse=True)[:newest]
        weight = 1 / (1 + graph.mention_counts[name] / 10) ** 0.5
        edges |= {Edge(node.id, other, EdgeType.ENTITY, weight) for other in sharing if other != node.id}
    return edges


def time_edges(node: Node, visible: Mapping[UUID, Node], nearest: int) -> set[Edge]:
    order = sorted(visible.values(), key=lambda other: (other.at, other.id))
    place = order.index(node)
    before, after = order[:place][-nearest:], order[place + 1 :][:nearest]
    hours = {other.id: abs((other.at - node.at).total_seconds()) / 3600 for other in [*before, *after]}
    near = sorted((apart, other) for other, apart in hours.items() if apart < 24)[:nearest]
    return {Edge(node.id, other, EdgeType.TEMPORAL, max(0.3, 1 - apart / 24)) for apart, other in near}
