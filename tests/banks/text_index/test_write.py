from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connection, connections
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Corpus, MemoryUnit
from banks.text_index import blocks
from banks.text_index.write import add_texts, remove_texts, replacing_texts, retire_texts, revive_texts
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.text_index.reference import (
    check_index,
    numbers_of,
    read_index,
    read_statistics,
    store_and_index,
    store_units,
)
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_chunk, make_episode, make_relationship

Write = Callable[[Bank, Corpus, Sequence[UUID]], None]


@contextmanager
def writing(bank: Bank) -> Any:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        yield


def write(function: Write, bank: Bank, ids: Sequence[UUID]) -> None:
    with writing(bank):
        function(bank, Corpus.UNIT, ids)


def expire(bank: Bank, ids: Sequence[UUID]) -> None:
    rows = MemoryUnit.objects.of_bank(bank).filter(id__in=ids)
    rows.update(expired_at=timezone.now(), close_reason="update")


def restore(bank: Bank, ids: Sequence[UUID]) -> None:
    MemoryUnit.objects.of_bank(bank).filter(id__in=ids).update(expired_at=None, close_reason="")


def test_a_text_is_found_under_each_of_its_lexemes(bank: Bank) -> None:
    store_and_index(bank, ["Tom likes red cars, very red cars.", "Anna likes tea."])
    assert read_index(bank) == {
        "tom": [(0, 1, False, 6)],
        "like": [(0, 1, False, 6), (1, 1, False, 3)],
        "red": [(0, 2, False, 6)],
        "car": [(0, 2, False, 6)],
        "anna": [(1, 1, False, 3)],
        "tea": [(1, 1, False, 3)],
    }
    assert read_statistics(bank) == (2, 9)


def test_numbers_follow_the_order_of_the_ids(bank: Bank) -> None:
    ids = store_units(bank, [f"text {number}" for number in range(20)])
    write(add_texts, bank, [ids[place] for place in np.random.default_rng(1).permutation(20)])
    assert list(numbers_of(bank).values()) == list(range(20))


def test_adding_again_changes_nothing(bank: Bank) -> None:
    ids = store_and_index(bank, ["Tom likes cars.", "Anna likes tea."])
    write(add_texts, bank, ids)
    assert read_statistics(bank) == (2, 6)
    check_index(bank)


def test_a_text_without_words_gets_no_number_and_counts_for_nothing(bank: Bank) -> None:
    ids = store_and_index(bank, ["...", "Anna likes tea."])
    assert list(numbers_of(bank).values()) == [None, 0]
    assert read_statistics(bank) == (1, 3)
    for change in (retire_texts, revive_texts, remove_texts):
        write(change, bank, ids[:1])
    check_index(bank)


def test_an_expired_row_is_added_as_retired(bank: Bank) -> None:
    ids = store_units(bank, ["Tom likes cars.", "Anna likes tea."])
    with writing(bank):
        expire(bank, ids[:1])
        add_texts(bank, Corpus.UNIT, ids)
    assert read_index(bank)["like"] == [(0, 1, True, 3), (1, 1, False, 3)]
    assert read_statistics(bank) == (1, 3)
    check_index(bank)


def test_retiring_and_reviving_count_once(bank: Bank) -> None:
    ids = store_and_index(bank, ["Tom likes cars.", "Anna likes tea and cake."])
    write(retire_texts, bank, ids[:1])
    write(retire_texts, bank, ids[:1])
    assert read_statistics(bank) == (1, 4)
    assert read_index(bank)["like"] == [(0, 1, True, 3), (1, 1, False, 4)]
    write(revive_texts, bank, ids)
    write(revive_texts, bank, ids)
    assert read_statistics(bank) == (2, 7)
    check_index(bank)


def test_a_removed_text_leaves_nothing_behind(bank: Bank) -> None:
    ids = store_and_index(bank, ["Tom likes cars.", "Anna likes tea.", "Tom retired."])
    write(retire_texts, bank, ids[2:])
    write(remove_texts, bank, [ids[0], ids[2]])
    assert read_index(bank) == {"anna": [(1, 1, False, 3)], "like": [(1, 1, False, 3)], "tea": [(1, 1, False, 3)]}
    assert read_statistics(bank) == (1, 3)
    assert list(numbers_of(bank).values()) == [None, 1, None]
    write(remove_texts, bank, ids)
    assert read_index(bank) == {}
    assert read_statistics(bank) == (0, 0)


@pytest.mark.parametrize("changed", ["Anna drinks coffee.", "🎉", "Tom Tom likes", "Tom likes cars and cars."])
def test_a_text_leaves_nothing_behind_although_its_row_has_changed(bank: Bank, changed: str) -> None:
    ids = store_and_index(bank, ["Tom likes cars.", "Anna likes tea."])
    with writing(bank):
        MemoryUnit.objects.of_bank(bank).filter(id=ids[0]).update(text=changed)
        remove_texts(bank, Corpus.UNIT, ids[:1])
    check_index(bank)
    assert read_statistics(bank) == (1, 3)


def test_a_replaced_text_is_found_by_its_new_words_only(bank: Bank) -> None:
    ids = store_and_index(bank, ["Tom likes cars.", "Anna likes tea."])
    with writing(bank), replacing_texts(bank, Corpus.UNIT, ids[:1]):
        MemoryUnit.objects.of_bank(bank).filter(id=ids[0]).update(text="Tom sold everything.")
    assert set(read_index(bank)) == {"anna", "like", "tea", "tom", "sold", "everyth"}
    assert list(numbers_of(bank).values()) == [2, 1]
    check_index(bank)


def test_a_removed_number_is_not_given_again(bank: Bank) -> None:
    write(remove_texts, bank, store_and_index(bank, ["Tom likes cars."]))
    store_and_index(bank, ["Anna likes tea."])
    assert read_index(bank)["tea"] == [(1, 1, False, 3)]


def test_a_very_long_text_is_indexed_and_removed(bank: Bank) -> None:
    ids = store_and_index(bank, ["cars and trucks, " * 40_000, "Tom likes cars."])
    assert read_index(bank)["car"] == [(0, 255, False, 65_535), (1, 1, False, 3)]
    write(remove_texts, bank, ids[:1])
    check_index(bank)


def test_each_corpus_keeps_to_itself(bank: Bank) -> None:
    tenant = Tenant(id=bank.tenant_id)
    rows = {
        Corpus.CHUNK: make_chunk(tenant, bank=bank, text="Tom walks."),
        Corpus.EPISODE: make_episode(tenant, bank=bank, narrative="Tom swims."),
        Corpus.RELATIONSHIP: make_relationship(tenant, bank=bank, text="Tom flies."),
    }
    with writing(bank):
        for corpus, row in rows.items():
            add_texts(bank, corpus, [row.id])
    assert [set(read_index(bank, corpus)) for corpus in rows] == [{"tom", "walk"}, {"tom", "swim"}, {"tom", "fli"}]
    with writing(bank):
        for corpus, row in rows.items():
            retire_texts(bank, corpus, [row.id])
            remove_texts(bank, corpus, [row.id])
    assert [read_index(bank, corpus) for corpus in rows] == [{}, {}, {}]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_written_the_counts_are_those_of_the_rows(
    bank: Bank, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_POSTINGS", 4)
    chance = np.random.default_rng(seed)
    words = [f"word{number}" for number in range(30)] + ["often"] * 30

    def invent() -> str:
        return " ".join(chance.choice(words, size=chance.integers(9)))

    def choose() -> list[UUID]:
        ids = list(numbers_of(bank))
        return [ids[place] for place in chance.permutation(len(ids))[: chance.integers(1, 6)]]

    for _ in range(25):
        step = chance.choice(["add", "add", "retire", "revive", "remove", "replace", "delete"])
        chosen = choose()
        with writing(bank):
            if step == "add":
                store_and_index(bank, [invent() for _ in range(chance.integers(1, 10))])
            elif step == "retire":
                expire(bank, chosen)
                retire_texts(bank, Corpus.UNIT, chosen)
            elif step == "revive":
                revive_texts(bank, Corpus.UNIT, chosen)
                restore(bank, chosen)
            elif step == "replace":
                with replacing_texts(bank, Corpus.UNIT, chosen):
                    MemoryUnit.objects.of_bank(bank).filter(id__in=chosen).update(text=invent())
            else:
                remove_texts(bank, Corpus.UNIT, chosen)
                if step == "delete":
                    MemoryUnit.objects.of_bank(bank).filter(id__in=chosen).delete()
        check_index(bank)


def counting(seen: list[str]) -> AbstractContextManager[None]:
    def note(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    return connection.execute_wrapper(note)


@pytest.mark.parametrize(("function", "most"), [(add_texts, 5), (retire_texts, 4), (remove_texts, 6)])
def test_a_batch_costs_the_same_number_of_statements_whatever_its_size(
    bank: Bank, function: Write, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_POSTINGS", 16)
    counts = []
    for size in (2, 300):
        texts = [f"Tom saw bird {number} of {size}." for number in range(size)]
        ids = store_units(bank, texts) if function is add_texts else store_and_index(bank, texts)
        with writing(bank):
            seen: list[str] = []
            with counting(seen):
                function(bank, Corpus.UNIT, ids)
            counts.append(len(seen))
    assert counts[0] == counts[1] <= most


def test_nothing_to_do_costs_no_statement(bank: Bank) -> None:
    seen: list[str] = []
    with writing(bank), counting(seen):
        for function in (add_texts, retire_texts, revive_texts, remove_texts):
            function(bank, Corpus.UNIT, [])
    assert seen == []


def test_eight_writers_at_once_lose_no_posting(committed_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_POSTINGS", 16)
    bank = make_bank(make_tenant("acme"))

    def work(writer: int) -> None:
        try:
            for batch in range(4):
                ids = store_and_index(bank, [f"Writer {writer} saw bird {number}." for number in range(batch + 3)])
                write(remove_texts, bank, ids[:1])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert read_statistics(bank)[0] == 8 * (2 + 3 + 4 + 5)
    check_index(bank)
