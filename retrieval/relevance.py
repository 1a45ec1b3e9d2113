"""Relevance: the probability that a result answers the query, and the results that are worth returning."""

from collections.abc import Sequence

from retrieval.types import Ranked, RecallQuery

FLOOR = 0.02
LEAST_SHARE = 0.02  # of the best result's relevance


def keep_relevant(ranked: Sequence[Ranked], query: RecallQuery) -> list[Ranked]:
    """Best first, each with its relevance; without those far behind the best unless the query `fills` the budget."""
    judged = [one.with_scores(one.scores._replace(relevance=estimate_relevance(one))) for one in ranked]
    if not query.fills:
        best = max((one.scores.relevance or 0.0 for one in judged), default=0.0)
        least = max(FLOOR, LEAST_SHARE * best)
        judged = [one for one in judged if (one.scores.relevance or 0.0) >= least]
    return judged[: query.max_results]


def estimate_relevance(ranked: Ranked) -> float:
    """By the reranker if it read the result, else by its place."""
    if ranked.scores.reranker is not None:
        return ranked.scores.reranker
    return 1.0 / (ranked.scores.place or 1)
