"""A rule in place of the calibrated one, for tests of what callers get: memories about Lisbon are relevant."""

from collections.abc import Sequence

import pytest

from retrieval import recall
from retrieval.types import Ranked, RecallQuery


def judge(one: Ranked) -> float:
    return 0.87654 if "Lisbon" in one.text else 0.01234


def use_lisbon_rule(monkeypatch: pytest.MonkeyPatch) -> list[RecallQuery]:
    """Returns the list to which each query that reaches the rule is added."""
    queries: list[RecallQuery] = []

    def keep(ranked: Sequence[Ranked], query: RecallQuery, _reranker: str) -> list[Ranked]:
        queries.append(query)
        judged = [one.with_scores(one.scores._replace(relevance=judge(one))) for one in ranked]
        return [one for one in judged if query.fills or judge(one) > 0.5][: query.max_results]

    monkeypatch.setattr(recall, "keep_relevant", keep)
    return queries
