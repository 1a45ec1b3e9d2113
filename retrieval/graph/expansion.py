"""Plain expansion, for comparison with spreading activation: all within two hops, the nearer ones first."""

from collections.abc import Mapping
from uuid import UUID

from retrieval.graph.spreading import Activation, FindEdges

HOPS = 2
FALL = 0.5  # the score falls by half a hop, whatever the edge


def expand_plainly(entries: Mapping[UUID, float], find_edges: FindEdges, *, nodes: int) -> Activation:
    """Every neighbour counts the same. A node has the score of the best entry point that is nearest to it."""
    reached = dict(entries)
    level: Activation = dict(entries)
    for _ in range(HOPS):
        if not level:
            break
        following: Activation = {}
        for edge in find_edges(sorted(level)):
            if edge.target not in reached:
                following[edge.target] = max(following.get(edge.target, 0.0), level[edge.source] * FALL)
        reached |= following
        level = following
    kept = sorted(reached, key=lambda node: (-reached[node], node))[:nodes]
    return {node: reached[node] for node in kept}
