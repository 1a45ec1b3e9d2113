from dataclasses import replace

from retrieval.channels.search import Search
from retrieval.graph.edges import EdgeFinder
from retrieval.graph.rules import SPREAD
from retrieval.graph.spreading import spread
from retrieval.types import Hit


def search_graph(search: Search) -> list[Hit]:
    """Units that are tied to the nearest ones, by their activation (formula 12)."""
    nearest = search.lookups.nearest_units()[: SPREAD.entry_points]
    entries = {hit.id: hit.score for hit in nearest if hit.score >= SPREAD.least_entry_cosine}
    find_edges = EdgeFinder(search.bank, search.scope, search.deadline)
    rules = replace(SPREAD, most_hops=search.limits.hops)
    activation = spread(entries, find_edges, nodes=search.limits.nodes, rules=rules)
    return [Hit("unit", unit_id, value) for unit_id, value in activation.items()]
