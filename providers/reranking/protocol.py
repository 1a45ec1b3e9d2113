from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from providers.usage import Usage


@dataclass(frozen=True)
class Scored:
    """`index` is the passage's place in what was given; `score` is in 0..1, or None where there was no time for it."""

    index: int
    score: float | None


class Ranking(list[Scored]):
    """Every passage once, best first. `usage` is what an endpoint counts; a model on this machine is not paid for."""

    def __init__(self, scored: Iterable[Scored] = (), usage: Usage | None = None) -> None:
        super().__init__(scored)
        self.usage = usage or Usage()


class Reranker(Protocol):
    """Scores how well each passage answers the query. Thread-safe.

    `rerank` returns every passage once, best first. With `within_seconds` it scores in the order given (the
    caller's order is the prior), begins no passage that it does not expect to finish in time, and returns what it
    scored, best first, followed by what it did not, in the order given. Where not even the first passage fits,
    nothing is scored: the time box holds before all else. Boxes are made for models on this machine; one that is asked
    over the network has a least time by setting, and takes that where the box is smaller.

    `instruction` says what to look for. A model that takes none goes by the query alone.
    """

    @property
    def model_id(self) -> str: ...

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking: ...
