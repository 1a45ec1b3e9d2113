from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from django.db import connection

from banks.locking import lock_memory
from banks.models import Bank, Corpus
from banks.text_index import blocks
from banks.text_index.bm25 import RankedText
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.read import MOST_LEXEMES, rank_texts
from banks.text_index.write import add_texts, remove_texts, retire_texts, revive_texts
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.text_index.reference import score_with_bm25s, store_and_index
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_chunk

UNITS = {Corpus.UNIT: 1000}


def search(
    bank: Bank, query: str | Sequence[str], limits: Mapping[Corpus, int] = UNITS, *, with_retired: bool = False
) -> dict[Corpus, list[RankedText]]:
    lexemes = extract_lexemes(query) if isinstance(query, str) else query
    with tenant_transaction(bank.tenant_id):
        return rank_texts(bank, limits, lexemes, with_retired=with_retired)


def numbers(found: dict[Corpus, list[RankedText]], corpus: Corpus = Corpus.UNIT) -> list[int]:
    return [ranked.number for ranked in found[corpus]]


def invent_texts(count: int) -> list[str]:
    """Texts whose words follow Zipf's law, as in natural language."""
    chance = np.random.default_rng(7)
    weights = 1 / np.arange(1, 401)
    ranks = [chance.choice(400, size=chance.integers(1, 31), p=weights / weights.sum()) for _ in range(count)]
    return [" ".join(f"w{rank}" for rank in text) for text in ranks]


@pytest.mark.parametrize("limit", [1, 10, 1000])
def test_order_and_score_are_those_of_bm25s(bank: Bank, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_POSTINGS", 32)
    texts = invent_texts(400)
    for start in range(0, 400, 90):
        store_and_index(bank, texts[start : start + 90])
    lexemes = {number: extract_lexemes(text) for number, text in enumerate(texts)}
    for unlike in np.random.default_rng(3).integers(0, 450, size=(30, 2)):
        query = ["w0", "w0", "w1", *(f"w{rank}" for rank in unlike)]
        found = search(bank, query, {Corpus.UNIT: limit})[Corpus.UNIT]
        expected = score_with_bm25s(lexemes, query)[:limit]
        assert [ranked.number for ranked in found] == [number for number, _ in expected]
        assert [ranked.score for ranked in found] == pytest.approx([score for _, score in expected], abs=2e-9)


def test_a_retired_text_is_found_only_when_the_past_is_searched(bank: Bank) -> None:
    ids = store_and_index(bank, ["Tom likes cars.", "Tom likes tea."])
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        retire_texts(bank, Corpus.UNIT, ids[:1])
    assert numbers(search(bank, "Tom")) == [1]
    assert numbers(search(bank, "Tom", with_retired=True)) == [0, 1]
    assert numbers(search(bank, "cars")) == []
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        revive_texts(bank, Corpus.UNIT, ids[:1])
    assert numbers(search(bank, "cars")) == [0]


def test_the_live_are_scored_as_if_the_retired_had_never_been(bank: Bank) -> None:
    texts = invent_texts(60)
    other = make_bank(Tenant(id=bank.tenant_id))
    ids = store_and_index(bank, texts)
    store_and_index(other, texts[30:])
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        retire_texts(bank, Corpus.UNIT, ids[:20])
        remove_texts(bank, Corpus.UNIT, ids[20:30])
    found = search(bank, ["w0", "w3", "w9"])[Corpus.UNIT]
    assert [(one.number - 30, one.score) for one in found] == [
        (one.number, one.score) for one in search(other, ["w0", "w3", "w9"])[Corpus.UNIT]
    ]


def test_the_past_can_be_searched_where_nothing_is_live(bank: Bank) -> None:
    ids = store_and_index(bank, ["Tom likes cars."])
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        retire_texts(bank, Corpus.UNIT, ids)
    assert numbers(search(bank, "Tom")) == []
    assert numbers(search(bank, "Tom", with_retired=True)) == [0]


def test_several_corpora_take_one_statement(bank: Bank) -> None:
    chunk = make_chunk(Tenant(id=bank.tenant_id), bank=bank, text="Tom drives a car to work.")
    store_and_index(bank, ["Tom likes cars.", "Anna likes cars, red cars."])
    seen: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        add_texts(bank, Corpus.CHUNK, [chunk.id])
        with connection.execute_wrapper(note):
            found = rank_texts(bank, {Corpus.UNIT: 1, Corpus.CHUNK: 5, Corpus.EPISODE: 5}, ["car"])
    assert [numbers(found, corpus) for corpus in (Corpus.UNIT, Corpus.CHUNK, Corpus.EPISODE)] == [[1], [0], []]
    assert len(seen) == 1


def test_another_tenant_and_another_bank_find_nothing(bank: Bank) -> None:
    store_and_index(bank, ["Tom likes cars."])
    assert numbers(search(make_bank(Tenant(id=bank.tenant_id)), "Tom")) == []
    stranger = make_tenant("zeta")
    assert numbers(search(make_bank(stranger), "Tom")) == []
    with tenant_transaction(stranger.id):
        assert rank_texts(bank, UNITS, ["tom"]) == {Corpus.UNIT: []}


@pytest.mark.parametrize("query", ["", "the of", "🎉", "unheard-of"])
def test_a_query_that_says_nothing_known_finds_nothing(bank: Bank, query: str) -> None:
    store_and_index(bank, ["Tom likes cars."])
    assert numbers(search(bank, query)) == []


def test_a_name_comes_before_the_word_that_it_is_made_of(bank: Bank) -> None:
    store_and_index(bank, ["Anna walked in the woods.", "Anna met Tiger Woods there."])
    assert numbers(search(bank, "Woods")) == [1, 0]
    assert set(numbers(search(bank, "woods"))) == {0, 1}


def test_of_a_very_long_query_the_first_words_count(bank: Bank) -> None:
    store_and_index(bank, ["Tom likes cars.", "Anna likes tea."])
    query = ["car", *(f"unheard{number}" for number in range(MOST_LEXEMES - 1)), "tea"]
    assert numbers(search(bank, query)) == [0]
    assert numbers(search(bank, query[1:])) == [1]
