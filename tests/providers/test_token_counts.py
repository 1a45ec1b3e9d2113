import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers import tokens
from providers.tokens import TokenCounts


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were counted again."""
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return 7

    monkeypatch.setattr(tokens, "count", count)
    return asked


def test_a_text_is_counted_once(asked: list[str]) -> None:
    counts = TokenCounts()
    assert (counts.count("tea"), counts.count("tea")) == (7, 7)
    assert asked == ["tea"]


def test_a_full_store_starts_over(asked: list[str]) -> None:
    counts = TokenCounts(most_texts=2)
    for text in ("a", "b", "a", "c", "a"):
        counts.count(text)
    assert asked == ["a", "b", "c", "a"]
    assert len(counts) == 2


@given(st.text())
def test_it_counts_as_the_tokenizer_does(text: str) -> None:
    counts = TokenCounts()
    assert counts.count(text) == counts.count(text) == tokens.count(text)


def test_a_lone_surrogate_is_counted() -> None:
    assert TokenCounts().count("\ud800") == tokens.count("\ud800")
