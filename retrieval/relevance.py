"""Relevance: the probability that a result answers the query, and the results that are worth returning."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from retrieval.boosts import logit
from retrieval.types import Ranked, RecallQuery

FLOOR = 0.002
LEAST_SHARE = 0.015  # of the best result's relevance

# The share of candidates with such a logit that answer, by isotonic regression on LoCoMo's development half (760
# questions); straight lines between the points. A reranker that is not listed gives probabilities itself.
Points = Sequence[tuple[float, float]]
CALIBRATIONS: Mapping[str, Points] = {
    "memory-reranker-v1-int8": (
        (-11, 0.004), (-9, 0.006), (-6, 0.011), (-3, 0.02), (0, 0.036), (2, 0.044), (4, 0.075), (5, 0.127), (6, 0.196),
        (7, 0.304), (8, 0.491), (9, 0.773),
    ),
    "cross-encoder/ms-marco-MiniLM-L-12-v2-int8": (
        (-11, 0.001), (-9, 0.002), (-6, 0.005), (-3, 0.008), (0, 0.017), (2, 0.029), (4, 0.091), (5, 0.143), (6, 0.28),
        (7, 0.656), (8, 1.0),
    ),
}  # fmt: skip
# A candidate that the reranker did not read: by its score before reranking as a share of the best one's, fitted on
# the same questions.
UNREAD_AT_BEST = 0.047
UNREAD_POWER = 3.7


def keep_relevant(ranked: Sequence[Ranked], query: RecallQuery, reranker: str) -> list[Ranked]:
    """Best first, each with its relevance; without those far behind the best unless the query `fills` the budget."""
    best_found = max((measure_found(one) for one in ranked), default=0.0)
    judged = [
        one.with_scores(one.scores._replace(relevance=estimate_relevance(one, reranker, best_found))) for one in ranked
    ]
    if not query.fills:
        best = max((one.scores.relevance or 0.0 for one in judged), default=0.0)
        least = max(FLOOR, LEAST_SHARE * best)
        judged = [one for one in judged if (one.scores.relevance or 0.0) >= least]
    return judged[: query.max_results]


def estimate_relevance(ranked: Ranked, reranker: str, best_found: float) -> float:
    score = ranked.scores.reranker
    if score is None:
        share = measure_found(ranked) / best_found if best_found else 0.0
        return float(UNREAD_AT_BEST * share**UNREAD_POWER)
    points = CALIBRATIONS.get(reranker)
    return interpolate(points, logit(score)) if points else score


def measure_found(ranked: Ranked) -> float:
    """The score that decided the order of the reranker's input."""
    return ranked.scores.found * ranked.scores.speaker


def interpolate(points: Points, value: float) -> float:
    """On the straight line between two points, and level outside them."""
    place = bisect_right(points, (value,))
    if place in {0, len(points)}:
        return points[max(0, place - 1)][1]
    (left, low), (right, high) = points[place - 1], points[place]
    return low + (high - low) * (value - left) / (right - left)
