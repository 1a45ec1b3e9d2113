from collections.abc import Sequence
from math import exp

from providers.reranking.protocol import Ranking, Scored
from providers.usage import Usage


def rank(scores: Sequence[float | None], usage: Usage | None = None) -> Ranking:
    """Best first, ties in the order given; then what has no score, in the order given."""
    scored = [Scored(index, score) for index, score in enumerate(scores)]
    return Ranking(sorted(scored, key=lambda one: (one.score is None, -(one.score or 0.0), one.index)), usage)


def sigmoid(logit: float) -> float:
    """Written for both signs, because exp overflows above 709."""
    if logit >= 0:
        return 1 / (1 + exp(-logit))
    return exp(logit) / (1 + exp(logit))
