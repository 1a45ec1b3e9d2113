import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.feedback.learning import LEAST, MOST, STEP, learn
from retrieval.types import Channel

ALL = list(Channel)
EVEN = dict.fromkeys(Channel, 1.0)
channels = st.sets(st.sampled_from(ALL), min_size=1)
marks = st.lists(st.tuples(channels, channels, st.integers(1, 500), st.booleans()), min_size=1, max_size=4)


def test_a_useful_result_lifts_the_channel_that_found_it_and_lowers_the_others() -> None:
    weights = learn(EVEN, {Channel.GRAPH: 1}, useful=True, asked=ALL)
    assert weights[Channel.GRAPH] == pytest.approx(1 + STEP * (1 - 1 / len(ALL)))
    assert weights[Channel.KEYWORD] == pytest.approx(1 - STEP / len(ALL))


def test_a_useless_result_takes_the_same_step_back() -> None:
    ranks = {Channel.GRAPH: 3, Channel.KEYWORD: 40}
    there = learn(EVEN, ranks, useful=True, asked=ALL)
    assert learn(there, ranks, useful=False, asked=ALL) == pytest.approx(EVEN)


def test_the_higher_place_earns_more() -> None:
    weights = learn(EVEN, {Channel.SEMANTIC: 1, Channel.KEYWORD: 100}, useful=True, asked=ALL)
    assert weights[Channel.SEMANTIC] > weights[Channel.KEYWORD] > weights[Channel.GRAPH]


def test_a_channel_that_was_not_asked_stays_where_it_is() -> None:
    weights = learn(EVEN, {Channel.GRAPH: 1}, useful=True, asked=[Channel.GRAPH, Channel.SEMANTIC])
    assert {channel for channel, weight in weights.items() if weight != 1.0} == {Channel.GRAPH, Channel.SEMANTIC}


def test_a_result_that_no_channel_found_teaches_nothing() -> None:
    assert learn(EVEN, {}, useful=True, asked=ALL) == EVEN


def test_a_thousand_marks_of_one_kind_stop_at_the_bound() -> None:
    weights = EVEN
    for _ in range(1_000):
        weights = learn(weights, {Channel.GRAPH: 1}, useful=True, asked=ALL)
    assert weights[Channel.GRAPH] == pytest.approx(MOST)
    assert weights[Channel.KEYWORD] == pytest.approx((len(ALL) - MOST) / (len(ALL) - 1))


@settings(max_examples=30)
@given(marks)
def test_whatever_is_marked_the_bounds_hold_and_the_mean_stays_one(
    given_marks: list[tuple[set[Channel], set[Channel], int, bool]],
) -> None:
    weights = EVEN
    for found, others, rank, useful in given_marks * 15:
        weights = learn(weights, dict.fromkeys(found, rank), useful=useful, asked=found | others)
    assert all(LEAST <= weight <= MOST for weight in weights.values())
    assert sum(weights.values()) / len(Channel) == pytest.approx(1.0)
