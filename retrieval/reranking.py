"""Reranking: a cross-encoder scores the best candidates within a time box, and its order joins the fused order."""

import hashlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from threading import Lock
from time import monotonic
from uuid import UUID

from providers.errors import ProviderError
from providers.reranking.protocol import Reranker
from providers.usage import Usage
from retrieval.analysis import MAX_CHARACTERS_TO_RERANK, shorten
from retrieval.plan import Combination
from retrieval.types import Budget, Candidate, QuestionType, Ranked
from timewords.rendering import find_zone, localise, write_two_digit_day

logger = logging.getLogger(__name__)

DIGEST_BYTES = 16
MOST_PAIRS = 50_000  # some 250 bytes each: 12 MB
SECONDS_SKIPPED = 60.0

# For a reranker that takes instructions.
INSTRUCTIONS: Mapping[QuestionType, str] = {
    QuestionType.FACTUAL: "Prefer passages that state the answer itself over passages that only touch the subject.",
    QuestionType.TEMPORAL: (
        "The question is about time. Prefer passages about the matter whose date, or a date in them, answers the "
        "question or lies in the time that it names."
    ),
    QuestionType.KNOWLEDGE_UPDATE: (
        "The question is about the present state. Of several passages about the same matter the one with the latest "
        "date is the best, and the older ones still matter."
    ),
    QuestionType.COUNTING: (
        "The answer is a count or a sum. Every passage that mentions one of the things to be counted is needed, also "
        "one that mentions it in passing."
    ),
    QuestionType.MULTI_HOP: (
        "The answer takes several passages together. A passage that gives one part of it, or that leads from one "
        "person or thing of the question to another, is as good as one that gives the end."
    ),
    QuestionType.PREFERENCE: (
        "The question asks for advice. Prefer passages that tell what the person likes, dislikes, owns, plans or has "
        "tried before, where it bears on the advice."
    ),
    QuestionType.ASSISTANT_RECALL: "The question is about what the assistant said. Prefer passages of the assistant's.",
}


class PairCache:
    """Scores of pairs of query and passage. Thread-safe; the least recently used are dropped first.

    It holds digests and numbers, no text. The digests are keyed with a secret of the process and include the tenant, so
    that no tenant can find out another's queries, not even by timing.
    """

    def __init__(self, *, most_pairs: int = MOST_PAIRS) -> None:
        self._most_pairs = most_pairs
        self._scores: OrderedDict[bytes, float] = OrderedDict()
        self._lock = Lock()
        self._secret = secrets.token_bytes(DIGEST_BYTES)

    def __len__(self) -> int:
        return len(self._scores)

    def build_keys(self, tenant_id: UUID, model: str, query: str, passages: Iterable[str]) -> list[bytes]:
        """`model` includes everything else that the score depends on, such as the instruction."""
        asked = hashlib.blake2b(key=self._secret, digest_size=DIGEST_BYTES)
        for part in (str(tenant_id), model, query):
            asked.update(encode(part))
        return [build_key(asked, passage) for passage in passages]

    def find(self, keys: Iterable[bytes]) -> list[float | None]:
        with self._lock:
            return [self._find(key) for key in keys]

    def keep(self, scores: Mapping[bytes, float]) -> None:
        with self._lock:
            for key, score in scores.items():
                self._scores[key] = score
                self._scores.move_to_end(key)
            while len(self._scores) > self._most_pairs:
                self._scores.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._scores.clear()

    def _find(self, key: bytes) -> float | None:
        score = self._scores.get(key)
        if score is not None:
            self._scores.move_to_end(key)
        return score


def build_key(asked: "hashlib.blake2b", passage: str) -> bytes:
    pair = asked.copy()
    pair.update(encode(passage))
    return pair.digest()


def encode(part: str) -> bytes:
    """With its length before it, so that two different lists of parts never encode alike."""
    content = part.encode("utf-8", "surrogatepass")
    return len(content).to_bytes(8, "big") + content


class SkippedPairs:
    """Pairs that a time box left out, by their keys in the cache of pairs. Thread-safe.

    For a minute a box of the same size leaves them out at once: a question that is asked twice gets the same answer,
    and the second time uses no model. Later, or with more time, they are scored.
    """

    def __init__(self, *, most_pairs: int = MOST_PAIRS, clock: Callable[[], float] = monotonic) -> None:
        self._most_pairs = most_pairs
        self._clock = clock
        self._noted: OrderedDict[bytes, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._noted)

    def note(self, keys: Iterable[bytes], *, box: float) -> None:
        now = self._clock()
        with self._lock:
            for key in keys:
                self._noted[key] = (now + SECONDS_SKIPPED, box)
                self._noted.move_to_end(key)
            self._drop_oldest(now)

    def covers(self, key: bytes, *, box: float) -> bool:
        noted = self._noted.get(key)
        return noted is not None and box <= noted[1] and self._clock() < noted[0]

    def _drop_oldest(self, now: float) -> None:
        while self._noted:
            key, (until, _) = next(iter(self._noted.items()))
            if until > now and len(self._noted) <= self._most_pairs:
                return
            del self._noted[key]

    def clear(self) -> None:
        with self._lock:
            self._noted.clear()


PAIR_SCORES = PairCache()
SKIPPED_PAIRS = SkippedPairs()


@dataclass(frozen=True)
class RerankRequest:
    """`passages` are in the fused order."""

    tenant_id: UUID
    query: str
    passages: Sequence[str]
    budget: Budget
    instruction: str = ""


@dataclass(frozen=True)
class Reranked:
    """`scores` are in the order of the passages; None if too deep, out of time, or after a failure.

    `failure` names the reranker's error: the fused order remains. `out_of_time` counts the passages that the budget
    allowed and the time box did not.
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
    skipped: SkippedPairs = SKIPPED_PAIRS,
) -> Reranked:
    """Score the first passages, as many as the budget allows. Cached pairs cost nothing, so the time goes to the
    others, best first. Pairs that a time box left out are skipped for a while.
    """
    query = shorten(request.query, MAX_CHARACTERS_TO_RERANK)
    deep = request.passages[: request.budget.rerank_depth]
    keys = cache.build_keys(request.tenant_id, f"{reranker.model_id}\n{request.instruction}", query, deep)
    scores = cache.find(keys)
    known = sum(score is not None for score in scores)
    box = request.budget.rerank_seconds
    missing = [index for index, score in enumerate(scores) if score is None]
    if box is not None:
        missing = [index for index in missing if not skipped.covers(keys[index], box=box)]
    failure, usage = "", Usage()
    if missing:
        try:
            scored, usage = score_missing(request, reranker, query, missing)
        except ProviderError as error:
            logger.warning("Reranking was left out: %s", type(error).__name__)
            scored, failure = {}, type(error).__name__
        cache.keep({keys[index]: score for index, score in scored.items()})
        if scored and box is not None:
            skipped.note([keys[index] for index in missing if index not in scored], box=box)
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


def build_readable(ranked: Ranked, *, zone: tzinfo | None) -> str:
    """The cross-encoder's input: "[Date: November 06, 2025 (2025-11-06)] context: text".

    The text is the search text of the candidate, or the passage of a long one. The date is that of the event, else of
    its mention, in the zone of the query. Months are in English whatever the locale.
    """
    candidate = ranked.candidate
    text = candidate.search_text if candidate.search_text and ranked.passage is None else ranked.text
    context = f"{candidate.context}: " if candidate.context else ""
    day = find_moment(candidate, zone)
    return f"[Date: {write_two_digit_day(day)} ({day.date().isoformat()})] {context}{text}"


def find_moment(candidate: Candidate, zone: tzinfo | None) -> datetime:
    start, end = candidate.occurred_start, candidate.occurred_end
    return localise(candidate.mentioned_at, zone) if start is None else localise(start, find_zone(start, end, zone))


def combine(scores: Sequence[float | None], combination: Combination) -> list[float]:
    """A score in (0, 1] for each passage of the fused order: weighted RRF of its two places, 1 for the first in both.

    Passages without a score follow in the fused order, so a reranker that scored nothing changes nothing. Places and
    not scores count, because a cross-encoder's scores are nearly all at 0 or 1.
    """
    best = (combination.reranker + combination.fused) / (combination.k + 1)
    combined = [combination.fused / (combination.k + place) / best for place in range(1, len(scores) + 1)]
    for index, place in enumerate(place_by_reranker(scores)):
        combined[index] += combination.reranker / (combination.k + place) / best
    return combined


def place_by_reranker(scores: Sequence[float | None]) -> list[int]:
    """From 1, for each passage of the fused order."""
    places = [0] * len(scores)
    best_first = sorted(range(len(scores)), key=lambda index: by_score(scores[index], index))
    for place, index in enumerate(best_first, 1):
        places[index] = place
    return places


def by_score(score: float | None, index: int) -> tuple[bool, float, int]:
    return score is None, -(score or 0.0), index
