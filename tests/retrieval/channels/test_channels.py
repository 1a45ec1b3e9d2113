"""Semantic, keyword, graph and temporal search over rows of a bank."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from retrieval.channels.graph import search_graph
from retrieval.channels.keyword import search_keyword
from retrieval.channels.semantic import search_semantic
from retrieval.channels.temporal import search_temporal
from retrieval.lookups.shared import Lookups
from retrieval.types import Budget, GraphWalk, Hit, PointInTime
from tests.factories import make_bank, make_tenant
from tests.retrieval.channels.searching import begin_search
from tests.retrieval.memory import NOW, Memory

CHANNELS = [search_semantic, search_keyword, search_graph, search_temporal]
QUERY = "green parrot yesterday"
THEN = NOW - timedelta(days=20)
NOT_OVER = (NOW - timedelta(days=2), NOW + timedelta(days=1))  # who asks about a time that is over sees the past


@pytest.mark.parametrize("channel", CHANNELS)
def test_only_what_is_visible_in_this_bank_is_found(memory: Memory, channel: Callable[[Lookups], list[Hit]]) -> None:
    seen = memory.unit("green parrot yesterday")
    memory.unit("green parrot yesterday", expired_at=NOW, close_reason="update")
    Memory(make_bank(memory.tenant)).unit("green parrot yesterday")
    Memory(make_bank(make_tenant())).unit("green parrot yesterday")
    assert [hit.id for hit in channel(begin_search(memory, QUERY, window=NOT_OVER))] == [seen.id]


def test_the_nearest_come_first_and_what_is_far_not_at_all(memory: Memory) -> None:
    near, nearer = memory.unit("green parrot yesterday song"), memory.unit("green parrot yesterday")
    memory.unit("zebra")
    assert [hit.id for hit in search_semantic(begin_search(memory, QUERY))] == [nearer.id, near.id]


def test_what_is_far_behind_the_best_is_not_near(memory: Memory) -> None:
    exact = memory.unit(QUERY)
    memory.unit("a song of one parrot on a green hill by the long road to the sea")
    assert [hit.id for hit in search_semantic(begin_search(memory, QUERY))] == [exact.id]


def test_words_find_what_shares_them_in_the_order_of_the_index(memory: Memory) -> None:
    both = memory.unit("a green parrot")
    one = memory.unit("the parrot flew over the long road to the sea")
    memory.unit("zebra")
    assert [hit.id for hit in search_keyword(begin_search(memory, QUERY))] == [both.id, one.id]


@pytest.mark.parametrize("moment", [PointInTime(known_at=THEN), PointInTime(as_of=THEN)])
def test_words_find_what_was_there_then_behind_what_came_later(memory: Memory, moment: PointInTime) -> None:
    then = memory.unit("the green parrot flew over the long road", days=30)
    for _ in range(3):
        memory.unit("green parrot", days=1, valid_from=NOW - timedelta(days=1))
    few = Budget(nodes=1, rerank_depth=1, rerank_seconds=None)
    assert [hit.id for hit in search_keyword(begin_search(memory, QUERY, budget=few, moment=moment))] == [then.id]


def test_a_unit_without_a_vector_is_found_by_its_words(memory: Memory) -> None:
    unit = memory.unit("a green parrot", embedding=None)
    assert [hit.id for hit in search_keyword(begin_search(memory, QUERY))] == [unit.id]
    assert search_semantic(begin_search(memory, QUERY)) == []


def test_the_graph_finds_what_is_tied_to_the_nearest(memory: Memory) -> None:
    alice = memory.entity("Alice", mention_count=2)
    entry = memory.unit("green parrot yesterday", about=[alice], days=1)
    tied = memory.unit("zebra", about=[alice], days=300)
    memory.unit("walrus", days=600)
    hits = search_graph(begin_search(memory, QUERY))
    assert [hit.id for hit in hits] == [entry.id, tied.id]


def test_an_entity_that_all_speak_of_ties_less(memory: Memory) -> None:
    rare, common = memory.entity("Rare", mention_count=2), memory.entity("Common", mention_count=50)
    memory.unit("green parrot yesterday", about=[rare, common], days=1)
    by_common, by_rare = memory.unit("zebra", about=[common], days=300), memory.unit("walrus", about=[rare], days=600)
    scores = {hit.id: hit.score for hit in search_graph(begin_search(memory, QUERY))}
    assert scores[by_rare.id] > scores[by_common.id]


def test_a_plain_walk_counts_every_tie_the_same(memory: Memory) -> None:
    rare, common = memory.entity("Rare", mention_count=2), memory.entity("Common", mention_count=50)
    memory.unit("green parrot yesterday", about=[rare, common], days=1)
    by_common, by_rare = memory.unit("zebra", about=[common], days=300), memory.unit("walrus", about=[rare], days=600)
    hits = search_graph(begin_search(memory, QUERY, graph_walk=GraphWalk.PLAIN))
    scores = {hit.id: hit.score for hit in hits}
    assert scores[by_rare.id] == scores[by_common.id] > 0


def test_only_units_of_the_asked_time_are_found(memory: Memory) -> None:
    inside = memory.unit("green parrot", occurred_start=NOW - timedelta(days=1), days=0)
    said = memory.unit("green parrot song", days=1)
    memory.unit("green parrot", occurred_start=NOW - timedelta(days=9), days=1)
    memory.unit("green parrot", days=5)
    assert {hit.id for hit in search_temporal(begin_search(memory, QUERY))} == {inside.id, said.id}


def test_an_occurrence_that_began_before_the_window_and_reaches_into_it_is_found(memory: Memory) -> None:
    long = memory.unit("green parrot", occurred_start=NOW - timedelta(days=30), occurred_end=NOW, days=40)
    assert [hit.id for hit in search_temporal(begin_search(memory, QUERY))] == [long.id]


def test_without_a_time_in_the_query_the_temporal_channel_is_silent(memory: Memory) -> None:
    memory.unit("green parrot")
    assert search_temporal(begin_search(memory, "green parrot")) == []


def test_what_merely_happened_then_is_no_answer(memory: Memory) -> None:
    memory.unit("zebra walrus", occurred_start=NOW - timedelta(days=1))
    assert search_temporal(begin_search(memory, QUERY)) == []


def test_whatever_happened_then_is_the_answer_where_nothing_else_is_asked_for(memory: Memory) -> None:
    then = memory.unit("zebra walrus", occurred_start=NOW - timedelta(days=1))
    assert [hit.id for hit in search_temporal(begin_search(memory, "What happened yesterday?"))] == [then.id]
