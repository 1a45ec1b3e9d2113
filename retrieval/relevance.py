"""Relevance: the probability that a result answers the query, and the results that are worth returning."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from retrieval.boosts import logit
from retrieval.types import Ranked, RecallQuery

FLOOR = 0.002
LEAST_SHARE = 0.01  # of the best result's relevance
LOWEST_LOGIT = -10.0  # below it the reranker found nothing in common with the query
LEAST_RESULTS = 5  # however low their relevance: a reranker misses answers that share no words with the question
LAST_READ = 8
LAST_FLOOR = 0.0075  # if the last results that the reranker read are below, those that it did not read are no better

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
UNREAD_AT_BEST = 0.057
UNREAD_POWER = 2.6


def keep_relevant(ranked: Sequence[Ranked], query: RecallQuery, reranker: str) -> list[Ranked]:
    """Best first, each with its relevance. Unless the query `fills` the budget, the first few, and of the others those
    that are not far behind the best.
    """
    judged = judge(ranked, reranker)
    if not query.fills:
        best = max((one.scores.relevance or 0.0 for one in judged), default=0.0)
        least = max(FLOOR, LEAST_SHARE * best)
        others = judged[LEAST_RESULTS:]
        judged = judged[:LEAST_RESULTS] + [one for one in others if is_relevant(one, least)]
    return judged[: query.max_results]


def is_relevant(ranked: Ranked, least: float) -> bool:
    return (ranked.scores.relevance or 0.0) >= least and not is_lowest(ranked)


def judge(ranked: Sequence[Ranked], reranker: str) -> list[Ranked]:
    best_found = max((measure_found(one) for one in ranked), default=0.0)
    read = sorted((one for one in ranked if one.scores.reranker is not None), key=lambda one: one.scores.place or 0)
    last = [estimate_relevance(one, reranker, best_found) for one in read[-LAST_READ:]]
    unread_factor = 0.0 if last and sum(last) / len(last) < LAST_FLOOR else 1.0
    judged = []
    for one in ranked:
        factor = unread_factor if one.scores.reranker is None else 1.0
        relevance = factor * estimate_relevance(one, reranker, best_found)
        judged.append(one.with_scores(one.scores._replace(relevance=relevance)))
    return judged


def is_lowest(ranked: Ranked) -> bool:
    return ranked.scores.reranker is not None and logit(ranked.scores.reranker) < LOWEST_LOGIT


def estimate_relevance(ranked: Ranked, reranker: str, best_found: float) -> float:
    """By the reranker's score, or by the channels if it did not read the result."""
    score = ranked.scores.reranker
    if score is None:
        return float(UNREAD_AT_BEST * (measure_found(ranked) / best_found) ** UNREAD_POWER) if best_found else 0.0
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
