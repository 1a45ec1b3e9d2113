"""Rank metrics of one question. Every figure is a fraction between 0 and 1."""

import math
from collections.abc import Sequence

TURN_CUTS = (5, 10, 20, 25, 50)
SESSION_CUTS = (5, 10)

Figures = dict[str, float]


def measure_turns(ranked: Sequence[str], evidence: frozenset[str]) -> Figures:
    return {f"recall@{k}": len(evidence.intersection(ranked[:k])) / len(evidence) for k in TURN_CUTS}


def measure_sessions(ranked: Sequence[str], evidence: frozenset[str]) -> Figures:
    figures: Figures = {}
    for k in SESSION_CUTS:
        found = evidence.intersection(ranked[:k])
        figures[f"recall@{k}"] = len(found) / len(evidence)
        figures[f"any@{k}"] = float(bool(found))
        figures[f"all@{k}"] = float(len(found) == len(evidence))
        figures[f"ndcg@{k}"] = compute_ndcg(ranked[:k], evidence, k)
    first = next((place for place, key in enumerate(ranked, 1) if key in evidence), None)
    figures["mrr"] = 1 / first if first else 0.0
    return figures


def compute_ndcg(ranked: Sequence[str], evidence: frozenset[str], k: int) -> float:
    gained = sum(1 / math.log2(place + 1) for place, key in enumerate(ranked, 1) if key in evidence)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(len(evidence), k) + 1))
    return gained / best


def measure_cover(covered: frozenset[str], evidence: frozenset[str]) -> Figures:
    found = evidence & covered
    return {"all": float(len(found) == len(evidence)), "recall": len(found) / len(evidence)}
