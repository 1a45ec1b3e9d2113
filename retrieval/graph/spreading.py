"""Activation that spreads from entry points, level by level (formula 12). Pure: the edges come from outside."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from retrieval.graph.rules import SPREAD, EdgeType, SpreadRules


class Edge(NamedTuple):
    """A named tuple, because a hop makes a thousand of them and those are made in a fifth of the time."""

    source: UUID
    target: UUID
    type: EdgeType
    weight: float


Activation = dict[UUID, float]
FindEdges = Callable[[list[UUID]], Iterable[Edge]]  # all edges that leave these units


def spread(
    entries: Mapping[UUID, float], find_edges: FindEdges, *, nodes: int, rules: SpreadRules = SPREAD
) -> Activation:
    """Each node's highest activation over all hops; one call of `find_edges` a hop.

    A node goes on spreading when its activation has just risen, the best `frontier` of them, ties by id. It ends after
    `most_hops`, where nothing rises any more, or with the hop in which `nodes` are reached; the best of them stay.
    """
    activation = dict(entries)
    risen: Iterable[UUID] = entries
    for _ in range(rules.most_hops):
        frontier = best_of(risen, activation, rules.frontier)
        if not frontier or len(activation) >= nodes:
            break
        risen = raise_neighbours(activation, find_edges(frontier), rules)
    kept = best_of(activation, activation, nodes)
    return {node: activation[node] for node in kept}


def raise_neighbours(activation: Activation, edges: Iterable[Edge], rules: SpreadRules) -> set[UUID]:
    """A(j, t + 1) = max over edges (i, j) of A(i, t) * weight * decay * multiplier, where that is more than it had."""
    before = dict(activation)
    risen = set()
    decay, multipliers, cut_off = rules.decay, rules.multipliers, rules.cut_off
    for source, target, kind, weight in edges:
        value = before[source] * weight * decay * multipliers[kind]
        if value >= cut_off and value > activation.get(target, 0.0):
            activation[target] = value
            risen.add(target)
    return risen


def best_of(nodes: Iterable[UUID], activation: Activation, count: int) -> list[UUID]:
    return sorted(nodes, key=lambda node: (-activation[node], node))[:count]
