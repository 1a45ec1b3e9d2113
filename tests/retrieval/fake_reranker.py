from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from providers.errors import ProviderError
from providers.reranking.protocol import Ranking, rank


@dataclass
class FakeReranker:
    """Gives scripted scores to the first `most` passages of a call."""

    scores: Mapping[str, float]
    most: int = 1_000
    failure: ProviderError | None = None
    model_id: str = "fake"
    asked: list[tuple[str, tuple[str, ...], float | None, str]] = field(default_factory=list)

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        self.asked.append((query, tuple(passages), within_seconds, instruction))
        if self.failure:
            raise self.failure
        return rank([self.scores[text] if index < self.most else None for index, text in enumerate(passages)])
