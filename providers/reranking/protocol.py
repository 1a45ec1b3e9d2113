from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Protocol

from providers.usage import Usage

# Names in settings, usage and prices.
MEMORY_RERANKER = "memory-reranker-v1"  # six layers, trained for memories: docs/memory-reranker.md
MS_MARCO = "cross-encoder/ms-marco-MiniLM-L-12-v2"  # twelve layers, twice the time


@dataclass(frozen=True)
class Scored:
    """`index` is the passage's place in the input. `score` is in 0..1, or None if the time was over before it."""

    index: int
    score: float | None


class Ranking(list[Scored]):
    """Every passage once, best first. `usage` counts the tokens that the model read."""

    def __init__(self, scored: Iterable[Scored] = (), usage: Usage | None = None) -> None:
        super().__init__(scored)
        self.usage = usage or Usage()


class Reranker(Protocol):
    """Scores how well each passage answers the query. Thread-safe.

    `rerank` returns every passage once, best first. With `within_seconds` it scores in the order given, which is the
    caller's prior, and begins no passage that it does not expect to finish in time. The scored passages come first,
    best first, then the others in the order given. It scores none if not even the first one fits. The limit is made
    for models on this machine: a model behind the network has a minimum by setting, which counts if it is longer.

    `instruction` says what to look for. Models without instructions go by the query alone.
    """

    @property
    def model_id(self) -> str: ...

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking: ...


def rank(scores: Sequence[float | None], usage: Usage | None = None) -> Ranking:
    """Best first, ties in the order given, then the passages without a score in the order given."""
    scored = [Scored(index, score) for index, score in enumerate(scores)]
    return Ranking(sorted(scored, key=lambda one: (one.score is None, -(one.score or 0.0), one.index)), usage)


def sigmoid(logit: float) -> float:
    """One formula for each sign, because exp overflows above 709."""
    if logit >= 0:
        return 1 / (1 + exp(-logit))
    return exp(logit) / (1 + exp(logit))
