from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banks.text_index import bm25
from banks.text_index.bm25 import RankedText, Term, rank, score_postings, weigh
from banks.text_index.packing import Postings, build_postings
from tests.banks.text_index.reference import score_with_bm25s

WORDS = st.sampled_from([f"w{number // 4}" for number in range(60)] + ["often"] * 60 + ["common"] * 40)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12), min_size=1, max_size=60)


def rank_in(texts: Mapping[int, Sequence[str]], query: Sequence[str], limit: int) -> list[RankedText]:
    holders: dict[str, list[tuple[int, int, bool, int]]] = {}
    for number, text in texts.items():
        for word, frequency in Counter(text).items():
            holders.setdefault(word, []).append((number, frequency, False, len(text)))
    terms = [
        Term(weigh(repeats, texts=len(texts), holders=len(holders[word])), build_postings(holders[word]))
        for word, repeats in Counter(query).items()
        if word in holders
    ]
    return rank(terms, average_length=sum(map(len, texts.values())) / len(texts), limit=limit)


@given(TEXTS, st.lists(WORDS, max_size=8), st.integers(1, 20))
def test_the_best_are_those_of_bm25s_in_its_order(texts: list[list[str]], query: list[str], limit: int) -> None:
    numbered = {3 * number + 5: text for number, text in enumerate(texts)}
    found = rank_in(numbered, query, limit)
    expected = score_with_bm25s(numbered, query)[:limit] if query else []
    assert [ranked.number for ranked in found] == [number for number, _ in expected]
    assert [ranked.score for ranked in found] == pytest.approx([score for _, score in expected], abs=2e-9)


def test_common_words_are_only_looked_up_once_the_lead_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[int] = []

    def note(weight: float, postings: Postings, average_length: float) -> bm25.Floats:
        scored.append(postings.size)
        return score_postings(weight, postings, average_length)

    monkeypatch.setattr(bm25, "score_postings", note)
    texts = {number: ["common", "rare"] if number % 100 == 0 else ["common", "other"] for number in range(1000)}
    found = rank_in(texts, ["common", "rare"], 5)
    assert [ranked.number for ranked in found] == [0, 100, 200, 300, 400]
    assert scored == [10, 10]


def test_equal_texts_tie_by_number() -> None:
    texts = {number: ["a", "b", "c"] for number in (9, 4, 7)}
    assert [ranked.number for ranked in rank_in(dict(sorted(texts.items())), ["c", "a"], 2)] == [4, 7]


def test_nothing_is_found_by_nothing() -> None:
    assert rank([], average_length=1.0, limit=10) == []
    assert rank_in({1: ["a"]}, ["a"], 0) == []
