import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.plan import Combination
from retrieval.reranking import combine

SCORES = st.lists(st.none() | st.floats(0, 1), max_size=40)


def order_of(finals: list[float]) -> list[int]:
    return sorted(range(len(finals)), key=lambda index: -finals[index])


def test_first_in_both_orders_is_one() -> None:
    assert combine([0.9, 0.1], Combination())[0] == pytest.approx(1.0)


def test_both_places_count_with_their_weights() -> None:
    first, second = combine([0.1, 0.9], Combination(reranker=3, fused=1, k=60))
    assert first == pytest.approx((1 / 61 + 3 / 62) / (4 / 61))
    assert second == pytest.approx((1 / 62 + 3 / 61) / (4 / 61))


def test_without_a_weight_for_the_fused_order_the_reranker_decides_alone() -> None:
    assert order_of(combine([0.1, 0.9, 0.5], Combination(fused=0))) == [1, 2, 0]


def test_unscored_results_rank_after_scored_ones() -> None:
    assert order_of(combine([None, 0.0, None, 0.2], Combination(fused=0))) == [3, 1, 0, 2]


@given(st.integers(0, 40))
def test_a_reranker_that_scored_nothing_changes_nothing(count: int) -> None:
    assert order_of(combine([None] * count, Combination())) == list(range(count))


@given(SCORES)
def test_every_score_is_above_zero_and_at_most_one(scores: list[float | None]) -> None:
    finals = combine(scores, Combination())
    assert len(finals) == len(scores)
    assert all(0 < final <= 1 + 1e-9 for final in finals)


def test_equal_scores_stay_in_the_fused_order() -> None:
    assert order_of(combine([0.5] * 5, Combination(fused=0))) == [0, 1, 2, 3, 4]
