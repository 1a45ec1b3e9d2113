"""The first five results stay, however low the reranker thinks of them; of the others the relevant ones stay."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from retrieval.relevance import keep_relevant
from retrieval.types import Ranked, RecallQuery
from tests.retrieval.factories import make_ranked

RERANKER = "memory-reranker-v1-int8"
QUERY = RecallQuery(text="What am I allergic to?", asked_at=datetime(2026, 5, 5, tzinfo=UTC))


def rank(*reranker: float) -> list[Ranked]:
    """Probabilities of the reranker, best first."""
    rows = [make_ranked(f"Fact {place}.") for place in range(len(reranker))]
    return [
        row.with_scores(row.scores._replace(reranker=score, place=place))
        for place, (row, score) in enumerate(zip(rows, reranker, strict=True), 1)
    ]


def test_the_first_results_stay_when_the_reranker_finds_nothing() -> None:
    kept = keep_relevant(rank(*[1e-6] * 8), QUERY, RERANKER)
    assert [one.text for one in kept] == [f"Fact {place}." for place in range(5)]


def test_a_relevant_result_behind_them_stays() -> None:
    kept = keep_relevant(rank(*[1e-6] * 6, 0.9, 1e-6), QUERY, RERANKER)
    assert [one.text for one in kept][5:] == ["Fact 6."]


@pytest.mark.parametrize("most", [1, 3])
def test_the_caller_may_want_fewer(most: int) -> None:
    assert len(keep_relevant(rank(*[1e-6] * 8), replace(QUERY, max_results=most), RERANKER)) == most
