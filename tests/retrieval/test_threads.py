"""Recall with its real threads, on committed rows."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connections

from providers.reranking.none import NoReranker
from retrieval.recall import RecallTools, recall
from retrieval.types import RecallQuery
from tests.factories import make_bank, make_tenant
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory

QUERY = RecallQuery("Where did Alice move yesterday, Lisbon?", NOW)


@pytest.fixture
def memory(committed_db: None) -> Memory:
    return Memory(make_bank(make_tenant("acme")))


def test_eight_concurrent_callers_get_the_same_results_as_one(memory: Memory) -> None:
    for number in range(8):
        memory.unit(f"Alice moved to Lisbon {number}")

    def ask(_: int) -> list[object]:
        try:
            return [item.candidate.id for item in recall(memory.bank, QUERY, tools).items]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as channel_threads, ThreadPoolExecutor(8) as callers:
        tools = RecallTools(WordEmbedder(), NoReranker(), executor=channel_threads)
        alone = ask(0)
        assert len(alone) == 8
        assert all(answer == alone for answer in callers.map(ask, range(24)))


def test_no_thread_keeps_a_connection(memory: Memory) -> None:
    memory.unit("Alice moved to Lisbon")
    with ThreadPoolExecutor(4) as threads:
        tools = RecallTools(WordEmbedder(), NoReranker(), executor=threads)
        recall(memory.bank, replace(QUERY, trace=True), tools)
        held = [threads.submit(lambda: connections["default"].connection).result() for _ in range(8)]
    assert held == [None] * 8


def test_a_write_is_seen_by_the_very_next_query(memory: Memory) -> None:
    with ThreadPoolExecutor(2) as threads:
        tools = RecallTools(WordEmbedder(), NoReranker(), executor=threads)
        assert recall(memory.bank, QUERY, tools).items == ()
        unit = memory.unit("Alice moved to Lisbon")
        assert [item.candidate.id for item in recall(memory.bank, QUERY, tools).items] == [unit.id]
