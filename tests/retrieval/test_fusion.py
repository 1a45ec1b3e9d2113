from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import FusedRow, add_reciprocal_ranks, fuse
from retrieval.types import Channel, Hit, Place
from tests.retrieval.factories import make_id

SEMANTIC, KEYWORD, GRAPH = Channel.SEMANTIC, Channel.KEYWORD, Channel.GRAPH


def make_hits(*numbers: int) -> list[Hit]:
    return [Hit("unit", make_id(number), 1.0 / place) for place, number in enumerate(numbers, 1)]


def numbers_of(fused: list[FusedRow]) -> list[int]:
    return [one.id.int for one in fused]


def test_scores_are_sums_of_reciprocal_ranks_from_one() -> None:
    fused = {one.id.int: one.score for one in fuse({SEMANTIC: make_hits(1, 2), KEYWORD: make_hits(2, 3)}, {})}
    assert fused == pytest.approx({1: 1 / 16, 2: 1 / 17 + 1 / 16, 3: 1 / 17})


def test_a_result_of_several_channels_comes_first() -> None:
    assert numbers_of(fuse({SEMANTIC: make_hits(1, 2), KEYWORD: make_hits(3, 2)}, {})) == [2, 1, 3]


def test_a_weight_multiplies_the_share_of_its_channel() -> None:
    fused = fuse({SEMANTIC: make_hits(1), KEYWORD: make_hits(2)}, {KEYWORD: 2.0})
    assert numbers_of(fused) == [2, 1]
    assert [one.score for one in fused] == pytest.approx([2 / 16, 1 / 16])


def test_a_channel_without_weight_brings_nothing() -> None:
    assert numbers_of(fuse({SEMANTIC: make_hits(1), KEYWORD: make_hits(2)}, {KEYWORD: 0.0})) == [1]


def test_each_candidate_knows_its_place_in_every_channel() -> None:
    [first, *_] = fuse({SEMANTIC: make_hits(1, 2), KEYWORD: make_hits(2, 3)}, {})
    assert first.places == {SEMANTIC: Place(2, 0.5), KEYWORD: Place(1, 1.0)}


def test_a_repeated_row_counts_at_its_first_rank() -> None:
    [one] = fuse({SEMANTIC: make_hits(1, 1)}, {})
    assert one.score == pytest.approx(1 / 16)


def test_a_unit_and_a_chunk_of_the_same_id_are_two() -> None:
    chunk = Hit("chunk", make_id(1), 1.0)
    assert len(fuse({SEMANTIC: make_hits(1), Channel.ARCHIVE: [chunk]}, {})) == 2


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse({}, {}) == []
    assert fuse({SEMANTIC: []}, {}) == []


def test_equal_scores_are_in_the_order_of_their_ids() -> None:
    assert numbers_of(fuse({SEMANTIC: make_hits(9, 1), KEYWORD: make_hits(1, 9)}, {})) == [1, 9]


@given(st.lists(st.lists(st.integers(1, 30), unique=True), min_size=3, max_size=3))
def test_the_order_of_the_channels_changes_nothing(found: list[list[int]]) -> None:
    lists = [(channel, make_hits(*numbers)) for channel, numbers in zip((SEMANTIC, KEYWORD, GRAPH), found, strict=True)]
    results = [fuse(dict(order), {}) for order in permutations(lists)]
    assert all(result == results[0] for result in results)


def test_places_count_from_one_and_add_up() -> None:
    assert add_reciprocal_ranks([["a", "b"], ["b"]]) == pytest.approx({"a": 1 / 16, "b": 1 / 17 + 1 / 16})


def test_first_in_one_list_ranks_after_second_in_two_lists() -> None:
    sums = add_reciprocal_ranks([["a", "both"], ["b", "both"]])
    assert max(sums, key=lambda found: sums[found]) == "both"
