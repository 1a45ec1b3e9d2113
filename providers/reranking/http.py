from collections.abc import Sequence
from functools import partial
from math import isfinite

import httpx2
import openai
from pydantic import AliasChoices, BaseModel, Field, ValidationError

from providers import tokens
from providers.endpoint.endpoint import Endpoint
from providers.endpoint.errors import EndpointTimeout, ErrorClasses
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.errors import UnusableScores
from providers.reranking.protocol import Ranking, rank, sigmoid
from providers.tokens import encodable
from providers.usage import Usage

PATH = "/rerank"


class WireResult(BaseModel):
    index: int
    relevance_score: float = Field(validation_alias=AliasChoices("relevance_score", "score"))


class WireUsage(BaseModel):
    total_tokens: int = 0


class WireRanking(BaseModel):
    results: list[WireResult]
    usage: WireUsage | None = None


class HttpReranker:
    """Any endpoint that has `/rerank` in the manner of Cohere and Jina (vLLM, llama.cpp and others have it too).

    The endpoint answers for all passages in one request or not at all. If the time limit ends before the answer, no
    passage is scored. Without a limit a late answer is an error.
    """

    def __init__(
        self, config: EndpointConfig, *, model: str, least_seconds: float = 0.0, policy: RetryPolicy | None = None
    ) -> None:
        self.model_id = model
        self._least_seconds = least_seconds
        self._endpoint = Endpoint(config, classes=ErrorClasses(), policy=policy)

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        if not passages:
            return Ranking()
        seconds = None if within_seconds is None else max(within_seconds, self._least_seconds)
        try:
            return self._score(query, passages, seconds)
        except EndpointTimeout:
            if within_seconds is None:
                raise
            return rank([None] * len(passages))

    def _score(self, query: str, passages: Sequence[str], seconds: float | None) -> Ranking:
        body = {
            "model": self.model_id,
            "query": encodable(query),
            "documents": [encodable(passage) for passage in passages],
            "top_n": len(passages),
        }
        deadline = self._endpoint.start(seconds)
        answered = self._endpoint.ask("rerank", partial(post, body), deadline)
        with answered.held:
            ranking = read_ranking(answered.value.content)
            usage = self._count(ranking, query, passages)
            answered.call.spent(usage)
            return rank(read_scores(ranking, len(passages)), usage)

    def _count(self, ranking: WireRanking, query: str, passages: Sequence[str]) -> Usage:
        """The endpoint's count, or an estimate if it gave none. The model reads the query with each passage."""
        if ranking.usage and ranking.usage.total_tokens:
            return Usage.of_call("reranking", self.model_id, ranking.usage.total_tokens)
        estimate = tokens.count(query) * len(passages) + sum(map(tokens.count, passages))
        return Usage.of_call("reranking", self.model_id, estimate, estimated=True)


def post(body: dict[str, object], client: openai.OpenAI, timeout: float) -> httpx2.Response:
    return client.post(PATH, cast_to=httpx2.Response, body=body, options={"timeout": timeout})


def read_scores(ranking: WireRanking, count: int) -> list[float | None]:
    """The scores in the order of the passages; None for a passage that the endpoint left out. Some endpoints give
    logits: if one score is not in 0..1, all of them are read as logits.
    """
    given = {one.index: one.relevance_score for one in ranking.results}
    if not given or not set(given) <= set(range(count)) or not all(map(isfinite, given.values())):
        raise UnusableScores(f"The endpoint gave no usable scores for {count} passages.")
    if any(not 0 <= score <= 1 for score in given.values()):
        given = {index: sigmoid(score) for index, score in given.items()}
    return [given.get(index) for index in range(count)]


def read_ranking(content: bytes) -> WireRanking:
    try:
        return WireRanking.model_validate_json(content)
    except ValidationError as error:
        faults = error.error_count()
    raise UnusableScores(f"The endpoint's answer is no ranking ({faults} faults).")
