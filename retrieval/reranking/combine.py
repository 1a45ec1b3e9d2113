from collections.abc import Sequence

from retrieval.recipes import Combination


def combine(scores: Sequence[float | None], combination: Combination) -> list[float]:
    """A score in (0, 1] for each passage of the fused order, from its place there and its place by the reranker.

    Both places count as in RRF, weighted; 1 is the first place in both. What the reranker did not score stands behind
    all that it did, in the fused order, so a reranker that scored nothing changes nothing. Places and not scores,
    because a cross-encoder's scores are nearly all at 0 or 1.
    """
    best = (combination.reranker + combination.fused) / (combination.k + 1)
    combined = [combination.fused / (combination.k + place) / best for place in range(1, len(scores) + 1)]
    for index, place in enumerate(place_by_reranker(scores)):
        combined[index] += combination.reranker / (combination.k + place) / best
    return combined


def place_by_reranker(scores: Sequence[float | None]) -> list[int]:
    """From 1, for each passage of the fused order."""
    places = [0] * len(scores)
    best_first = sorted(range(len(scores)), key=lambda index: order(scores[index], index))
    for place, index in enumerate(best_first, 1):
        places[index] = place
    return places


def order(score: float | None, index: int) -> tuple[bool, float, int]:
    return score is None, -(score or 0.0), index
