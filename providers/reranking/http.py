from collections.abc import Sequence
from functools import partial
from math import isfinite

import httpx2
import openai
from pydantic import AliasChoices, BaseModel, Field, ValidationError

from providers.endpoint.endpoint import Endpoint
from providers.endpoint.errors import EndpointTimeout, ErrorClasses
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.errors import UnusableScores
from providers.reranking.protocol import Ranking, rank, sigmoid
from providers.tokens import encodable

PATH = "/rerank"


class WireResult(BaseModel):
    index: int
    relevance_score: float = Field(validation_alias=AliasChoices("relevance_score", "score"))


class WireRanking(BaseModel):
    results: list[WireResult]


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
            return rank(self._score(query, passages, seconds))
        except EndpointTimeout:
            if within_seconds is None:
                raise
            return rank([None] * len(passages))

    def _score(self, query: str, passages: Sequence[str], seconds: float | None) -> list[float | None]:
        body = {
            "model": self.model_id,
            "query": encodable(query),
            "documents": [encodable(passage) for passage in passages],
            "top_n": len(passages),
        }
        deadline = self._endpoint.start(seconds)
        answered = self._endpoint.ask("rerank", partial(post, body), deadline)
        with answered.held:
            return read_scores(answered.value.content, len(passages))


def post(body: dict[str, object], client: openai.OpenAI, timeout: float) -> httpx2.Response:
    return client.post(PATH, cast_to=httpx2.Response, body=body, options={"timeout": timeout})


def read_scores(content: bytes, count: int) -> list[float | None]:
    """The scores in the order of the passages; None for a passage that the endpoint left out. Some endpoints give
    logits: if one score is not in 0..1, all of them are read as logits.
    """
    given = {one.index: one.relevance_score for one in read_ranking(content).results}
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
