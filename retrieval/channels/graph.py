from dataclasses import replace

from banks.models import Corpus
from retrieval.declaration import Declaration
from retrieval.graph.edges import EdgeFinder
from retrieval.graph.rules import SPREAD
from retrieval.graph.spreading import spread
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit


def search_graph(lookups: Lookups) -> list[Hit]:
    """Units that are tied to the nearest ones, by their activation (formula 12)."""
    asked = lookups.asked
    nearest = lookups.nearest_units()[: SPREAD.entry_points]
    entries = {hit.id: hit.score for hit in nearest if hit.score >= SPREAD.least_entry_cosine}
    find_edges = EdgeFinder(asked.bank, asked.scope, asked.deadline)
    rules = replace(SPREAD, most_hops=asked.limits.hops)
    activation = spread(entries, find_edges, nodes=asked.limits.nodes, rules=rules)
    return [Hit("unit", unit_id, value) for unit_id, value in activation.items()]


GRAPH = Declaration(Channel.GRAPH, search_graph, by_meaning=frozenset({Corpus.UNIT}), has_statements=True)
