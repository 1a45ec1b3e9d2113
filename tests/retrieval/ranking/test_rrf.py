import pytest

from retrieval.ranking.rrf import add_up_places


def test_places_count_from_one_and_add_up() -> None:
    assert add_up_places([["a", "b"], ["b"]]) == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61})


def test_what_one_order_has_first_stands_behind_what_two_have_second() -> None:
    sums = add_up_places([["a", "both"], ["b", "both"]])
    assert max(sums, key=lambda found: sums[found]) == "both"
