"""How strongly two units are tied, 0..1."""

from math import sqrt

from retrieval.graph.rules import NEIGHBOURS, NeighbourRules


def weigh_shared_entity(mentions: int, rules: NeighbourRules = NEIGHBOURS) -> float:
    """1 / sqrt(1 + mentions / hub): everybody in a bank about Alice mentions Alice, so that says little."""
    return 1 / sqrt(1 + mentions / rules.hub)


def weigh_time(seconds: float, rules: NeighbourRules = NEIGHBOURS) -> float:
    """TEMPR 2.4.1: max(0.3, 1 - dt / 24 h)."""
    return max(rules.least_time_weight, 1 - seconds / rules.time_span.total_seconds())
