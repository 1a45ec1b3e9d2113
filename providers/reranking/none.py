from collections.abc import Sequence

from providers.reranking.protocol import Ranking, Scored


class NoReranker:
    """Keeps the order of the channels."""

    model_id = "none"

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        return Ranking(Scored(index, None) for index in range(len(passages)))
