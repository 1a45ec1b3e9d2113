from collections.abc import Sequence

from providers.reranking.protocol import Scored


class NoReranker:
    """Keeps the order: what the channels found best stays best."""

    model_id = "none"

    def rerank(
        self,
        query: str,  # noqa: ARG002 - the protocol names it
        passages: Sequence[str],
        *,
        within_seconds: float | None = None,  # noqa: ARG002 - the protocol names it
    ) -> list[Scored]:
        return [Scored(index, None) for index in range(len(passages))]
