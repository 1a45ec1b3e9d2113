import pytest

from providers.reranking.none import NoReranker
from providers.reranking.protocol import Scored, rank, sigmoid


def test_best_first_ties_in_the_order_given_and_the_unscored_last() -> None:
    ranked = rank([0.2, None, 0.9, 0.2, None, 0.0])
    assert [one.index for one in ranked] == [2, 0, 3, 5, 1, 4]
    assert ranked[-1].score is None


def test_a_logit_becomes_a_score_between_zero_and_one() -> None:
    assert sigmoid(0) == 0.5
    assert sigmoid(2) == pytest.approx(0.8807970779778823)
    assert sigmoid(-2) == pytest.approx(1 - sigmoid(2))
    assert (sigmoid(-1e4), sigmoid(1e4)) == (0, 1)


def test_no_reranker_keeps_the_order() -> None:
    assert NoReranker().rerank("query", ["b", "a"]) == [Scored(0, None), Scored(1, None)]
