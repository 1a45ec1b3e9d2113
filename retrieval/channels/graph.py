from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from banks.models import Corpus
from retrieval.declaration import Declaration
from retrieval.graph.edges import EdgeFinder
from retrieval.graph.expansion import expand_plainly
from retrieval.graph.rules import SPREAD
from retrieval.graph.spreading import Activation, FindEdges, spread
from retrieval.lookups.shared import Asked, Lookups
from retrieval.types import Channel, GraphWalk, Hit


def search_graph(lookups: Lookups) -> list[Hit]:
    """Units that are tied to the nearest ones, by their activation (formula 12)."""
    asked = lookups.asked
    nearest = lookups.nearest_units()[: SPREAD.entry_points]
    entries = {hit.id: hit.score for hit in nearest if hit.score >= SPREAD.least_entry_cosine}
    activation = walk(entries, EdgeFinder(asked.bank, asked.scope, asked.deadline), asked)
    return [Hit("unit", unit_id, value) for unit_id, value in activation.items()]


def walk(entries: Mapping[UUID, float], find_edges: FindEdges, asked: Asked) -> Activation:
    if asked.graph_walk is GraphWalk.PLAIN:
        return expand_plainly(entries, find_edges, nodes=asked.limits.nodes)
    rules = replace(SPREAD, most_hops=asked.limits.hops)
    return spread(entries, find_edges, nodes=asked.limits.nodes, rules=rules)


GRAPH = Declaration(Channel.GRAPH, search_graph, by_meaning=frozenset({Corpus.UNIT}), has_statements=True)
