"""Timing single recalls by stage, and many concurrent ones."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter

from django.db import connection

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from retrieval.filters.types import Filters
from retrieval.types import BUDGETS, RecallQuery

MODELS = ("embedding", "reranking")


@dataclass(frozen=True)
class Timed:
    """`pairs`: the number of results that the reranker scored."""

    milliseconds: float
    stages: dict[str, float]
    pairs: int

    @property
    def own(self) -> float:
        """The time without the embedder and the reranker."""
        return self.milliseconds - sum(self.stages.get(name, 0.0) for name in MODELS)


@dataclass(frozen=True)
class Asking:
    access: BankAccess
    bank_id: str
    budget: str = "low"
    rerank: bool = True
    filters: Filters = field(default_factory=Filters)

    def build(self, text: str) -> RecallQuery:
        budget = BUDGETS[self.budget]
        return RecallQuery(text, datetime.now(UTC), budget=budget, filters=self.filters, rerank=self.rerank)


def time_one(asking: Asking, text: str) -> Timed:
    query = asking.build(text)
    started = perf_counter()
    result = recall(asking.access, [asking.bank_id], query).result
    milliseconds = (perf_counter() - started) * 1000
    pairs = sum(item.scores.reranker is not None for item in result.items)
    return Timed(milliseconds, dict(result.milliseconds), pairs)


@dataclass(frozen=True)
class Crowd:
    seconds: float
    milliseconds: list[float]
    errors: int

    @property
    def per_second(self) -> float:
        return len(self.milliseconds) / self.seconds


def ask_at_once(asking: Asking, texts: Sequence[str], clients: int) -> Crowd:
    """Each of `clients` callers asks its next question as soon as the last is answered."""
    started = perf_counter()
    with ThreadPoolExecutor(clients) as callers:
        answers = list(callers.map(lambda text: attempt(asking, text), texts))
    times = [one for one in answers if one is not None]
    return Crowd(perf_counter() - started, times, len(answers) - len(times))


def attempt(asking: Asking, text: str) -> float | None:
    try:
        return time_one(asking, text).milliseconds
    except Exception:  # noqa: BLE001  # whatever it was, it is counted
        return None
    finally:
        connection.close()
