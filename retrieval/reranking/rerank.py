import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from providers.errors import ProviderError
from providers.reranking.protocol import Reranker
from providers.usage import Usage
from retrieval.query.cleaning import MAX_CHARACTERS_TO_RERANK, shorten
from retrieval.reranking.pair_cache import PAIR_SCORES, PairCache
from retrieval.reranking.passed_over import PASSED_OVER, PassedOver
from retrieval.types import Budget

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RerankRequest:
    """`passages` are what the reranker reads, in the fused order, which is its prior."""

    tenant_id: UUID
    query: str
    passages: Sequence[str]
    budget: Budget
    instruction: str = ""


@dataclass(frozen=True)
class Reranked:
    """`scores` are in the order of the passages, None where there is none: too deep, no time, or a failure.

    `failure` names what kept the reranker from answering; the fused order serves then. `out_of_time` are the passages
    that the budget has pairs for, and the time box had no time.
    """

    scores: tuple[float | None, ...]
    cached: int = 0
    out_of_time: int = 0
    failure: str = ""
    usage: Usage = field(default_factory=Usage)


def rerank(
    request: RerankRequest,
    reranker: Reranker,
    *,
    cache: PairCache = PAIR_SCORES,
    passed_over: PassedOver = PASSED_OVER,
) -> Reranked:
    """Score the first passages, as many as the budget says. What was scored before costs nothing, so the time goes to
    the others, best first; what a box was over for is not tried again at once.
    """
    query = shorten(request.query, MAX_CHARACTERS_TO_RERANK)
    deep = request.passages[: request.budget.rerank_depth]
    keys = cache.build_keys(request.tenant_id, f"{reranker.model_id}\n{request.instruction}", query, deep)
    scores = cache.find(keys)
    known = sum(score is not None for score in scores)
    box = request.budget.rerank_seconds
    missing = [index for index, score in enumerate(scores) if score is None]
    if box is not None:
        missing = [index for index in missing if not passed_over.covers(keys[index], box=box)]
    failure, usage = "", Usage()
    if missing:
        try:
            scored, usage = score_missing(request, reranker, query, missing)
        except ProviderError as error:
            logger.warning("Reranking was left out: %s", type(error).__name__)
            scored, failure = {}, type(error).__name__
        cache.keep({keys[index]: score for index, score in scored.items()})
        if scored and box is not None:
            passed_over.note([keys[index] for index in missing if index not in scored], box=box)
        scores = [scored.get(index, score) for index, score in enumerate(scores)]
    beyond = len(request.passages) - len(deep)
    unscored = 0 if failure else sum(score is None for score in scores)
    every = (*scores, *[None] * beyond)
    return Reranked(every, cached=known, out_of_time=unscored, failure=failure, usage=usage)


def score_missing(
    request: RerankRequest, reranker: Reranker, query: str, missing: Sequence[int]
) -> tuple[dict[int, float], Usage]:
    ranked = reranker.rerank(
        query,
        [request.passages[index] for index in missing],
        within_seconds=request.budget.rerank_seconds,
        instruction=request.instruction,
    )
    return {missing[one.index]: one.score for one in ranked if one.score is not None}, ranked.usage
