import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.analysis import GAP, MAX_CHARACTERS, clean_query, shorten
from retrieval.errors import QueryWithoutWords


@pytest.mark.parametrize("text", ["", "  \n\t", "?!...", "—「」", "\0\0", "\ud800", "___"])
def test_a_query_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(QueryWithoutWords, match="no word"):
        clean_query(text)


@pytest.mark.parametrize("text", ["the of", "7", "好", "é", "🎉"])
def test_one_letter_digit_or_emoji_is_enough(text: str) -> None:
    assert clean_query(text) == text


def test_the_query_is_one_line_without_unstorable_characters() -> None:
    assert clean_query(" where \0 does\n\nAlice\ud800 work ") == "where does Alice work"


def test_a_very_long_query_keeps_its_beginning_and_its_end() -> None:
    cleaned = clean_query("First words. " + "padding " * 20_000 + "What was the question?")
    assert len(cleaned) <= MAX_CHARACTERS
    assert cleaned.startswith("First words. padding")
    assert cleaned.endswith("padding What was the question?")
    assert GAP in cleaned


def test_a_cut_is_between_words() -> None:
    assert set(shorten("padding " * 100, 100).split()) == {"padding", GAP.strip()}


def test_one_endless_word_is_cut_too() -> None:
    assert len(shorten("x" * 100_000, 2_000)) <= 2_000


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
def test_any_text_is_cleaned_or_refused(text: str) -> None:
    try:
        cleaned = clean_query(text)
    except QueryWithoutWords:
        return
    assert "\0" not in cleaned
    assert cleaned.encode()
