import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers import tokens
from retrieval.packing import pack
from retrieval.types import Ranked
from tests.retrieval.factories import make_ranked

FACT = "Alice works at Google in Mountain View."
SIZE = tokens.count(FACT)


def make_list(*texts: str) -> list[Ranked]:
    return [make_ranked(text) for text in texts]


def test_results_that_fit_are_taken_in_order() -> None:
    packed = pack(make_list(FACT, FACT, FACT), max_tokens=2 * SIZE)
    assert [item.tokens for item in packed.items] == [SIZE, SIZE]
    assert packed.tokens == 2 * SIZE
    assert len(packed.left) == 1


def test_the_first_that_does_not_fit_ends_it_though_a_later_one_would_fit() -> None:
    packed = pack(make_list(FACT, FACT * 9, "tea"), max_tokens=SIZE + 5)
    assert [item.text for item in packed.items] == [FACT]
    assert [one.text for one in packed.left] == [FACT * 9, "tea"]


def test_the_very_first_is_cut_to_fit() -> None:
    packed = pack(make_list(FACT * 9, "tea"), max_tokens=5)
    [item] = packed.items
    assert 3 <= item.tokens == packed.tokens <= 5
    assert (FACT * 9).startswith(item.text)
    assert item.passage == (0, len(item.text))
    assert item.passage is not None
    assert [one.text for one in packed.left] == ["tea"]


@pytest.mark.parametrize("max_tokens", [6, 12, 30])
def test_a_cut_first_result_keeps_the_passage_that_matches_the_query(max_tokens: int) -> None:
    text = "Water the beds in the morning. " * 9 + "The secret ingredient is crushed shells. " + "Then wait. " * 9
    [item] = pack(make_list(text), max_tokens=max_tokens, query="What is the secret ingredient?").items
    assert "secret ingredient" in item.text
    assert item.tokens <= max_tokens
    assert item.passage is not None
    assert text[item.passage[0] : item.passage[1]] == item.text


def test_a_passage_that_is_cut_keeps_its_place_in_the_whole() -> None:
    whole = f"One. {FACT} Two."
    ranked = Ranked(make_ranked(whole).candidate, FACT, make_ranked().scores, "bank", passage=(5, 5 + len(FACT)))
    [item] = pack([ranked], max_tokens=3).items
    assert item.passage is not None
    assert whole[item.passage[0] : item.passage[1]] == item.text


def test_a_result_that_fits_keeps_its_passage() -> None:
    ranked = Ranked(make_ranked("x" + FACT).candidate, FACT, make_ranked().scores, "bank", passage=(1, 1 + len(FACT)))
    assert pack([ranked], max_tokens=100).items[0].passage == (1, 1 + len(FACT))
    assert pack(make_list(FACT), max_tokens=100).items[0].passage is None


@pytest.mark.parametrize("texts", [[], [FACT], ["", FACT]])
def test_no_tokens_mean_no_results(texts: list[str]) -> None:
    packed = pack(make_list(*texts), max_tokens=0)
    assert (packed.items, packed.tokens, len(packed.left)) == ((), 0, len(texts))


def test_ten_million_tokens_take_all() -> None:
    assert len(pack(make_list(*[FACT] * 50), max_tokens=10_000_000).items) == 50


TEXTS = st.lists(
    st.text(max_size=200) | st.sampled_from([FACT, FACT * 30, "東京に住んでいます。", "👩‍👩‍👧" * 9]), max_size=8
)


@given(TEXTS, st.integers(0, 200), st.sampled_from(["", "Where does Alice work?", "東京", "a"]))
def test_the_tokens_of_the_results_never_exceed_the_budget(texts: list[str], max_tokens: int, query: str) -> None:
    packed = pack(make_list(*texts), max_tokens=max_tokens, query=query)
    assert sum(tokens.count(item.text) for item in packed.items) == packed.tokens <= max_tokens


@given(TEXTS, st.integers(1, 200))
def test_it_stops_only_where_the_next_does_not_fit(texts: list[str], max_tokens: int) -> None:
    packed = pack(make_list(*texts), max_tokens=max_tokens)
    assert len(packed.items) + len(packed.left) == len(texts)
    assert [item.candidate.text for item in packed.items] == texts[: len(packed.items)]
    if packed.items and packed.left and packed.items[0].passage is None:
        assert packed.tokens + tokens.count(packed.left[0].text) > max_tokens
