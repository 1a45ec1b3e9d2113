"""Semantic, keyword, graph and temporal search over rows of a bank."""

from datetime import timedelta

import pytest

from retrieval.types import Budget, Channel, PointInTime
from tests.factories import make_bank, make_tenant
from tests.retrieval.channels.searching import search
from tests.retrieval.memory import NOW, Memory

CHANNELS = [Channel.SEMANTIC, Channel.KEYWORD, Channel.GRAPH, Channel.TEMPORAL]
QUERY = "green parrot yesterday"
THEN = NOW - timedelta(days=20)
NOT_OVER = (NOW - timedelta(days=2), NOW + timedelta(days=1))  # a past window would also return closed units


@pytest.mark.parametrize("channel", CHANNELS)
def test_only_visible_units_of_this_bank_are_found(memory: Memory, channel: Channel) -> None:
    seen = memory.unit("green parrot yesterday")
    memory.unit("green parrot yesterday", expired_at=NOW, close_reason="update")
    Memory(make_bank(memory.tenant)).unit("green parrot yesterday")
    Memory(make_bank(make_tenant())).unit("green parrot yesterday")
    assert [hit.id for hit in search(channel, memory, QUERY, window=NOT_OVER)] == [seen.id]


def test_the_nearest_come_first_and_distant_units_are_not_found(memory: Memory) -> None:
    near, nearer = memory.unit("green parrot yesterday song"), memory.unit("green parrot yesterday")
    memory.unit("zebra")
    assert [hit.id for hit in search(Channel.SEMANTIC, memory, QUERY)] == [nearer.id, near.id]


def test_a_unit_far_behind_the_best_cosine_is_not_found(memory: Memory) -> None:
    exact = memory.unit(QUERY)
    memory.unit("a song of one parrot on a green hill by the long road to the sea")
    assert [hit.id for hit in search(Channel.SEMANTIC, memory, QUERY)] == [exact.id]


def test_words_find_units_that_share_them_in_the_order_of_the_index(memory: Memory) -> None:
    both = memory.unit("a green parrot")
    one = memory.unit("the parrot flew over the long road to the sea")
    memory.unit("zebra")
    assert [hit.id for hit in search(Channel.KEYWORD, memory, QUERY)] == [both.id, one.id]


@pytest.mark.parametrize("moment", [PointInTime(known_at=THEN), PointInTime(as_of=THEN)])
def test_at_a_point_in_time_words_find_earlier_units_behind_later_ones(memory: Memory, moment: PointInTime) -> None:
    then = memory.unit("the green parrot flew over the long road", days=30)
    for _ in range(3):
        memory.unit("green parrot", days=1, valid_from=NOW - timedelta(days=1))
    few = Budget(nodes=1, rerank_depth=1, rerank_seconds=None)
    assert [hit.id for hit in search(Channel.KEYWORD, memory, QUERY, budget=few, moment=moment)] == [then.id]


def test_a_unit_without_a_vector_is_found_by_its_words(memory: Memory) -> None:
    unit = memory.unit("a green parrot", embedding=None)
    assert [hit.id for hit in search(Channel.KEYWORD, memory, QUERY)] == [unit.id]
    assert search(Channel.SEMANTIC, memory, QUERY) == []


def test_the_graph_finds_units_linked_to_the_nearest(memory: Memory) -> None:
    alice = memory.entity("Alice", mention_count=2)
    entry = memory.unit("green parrot yesterday", about=[alice], days=1)
    tied = memory.unit("zebra", about=[alice], days=300)
    memory.unit("walrus", days=600)
    hits = search(Channel.GRAPH, memory, QUERY)
    assert [hit.id for hit in hits] == [entry.id, tied.id]


def test_an_entity_that_all_speak_of_ties_less(memory: Memory) -> None:
    rare, common = memory.entity("Rare", mention_count=2), memory.entity("Common", mention_count=50)
    memory.unit("green parrot yesterday", about=[rare, common], days=1)
    by_common, by_rare = memory.unit("zebra", about=[common], days=300), memory.unit("walrus", about=[rare], days=600)
    scores = {hit.id: hit.score for hit in search(Channel.GRAPH, memory, QUERY)}
    assert scores[by_rare.id] > scores[by_common.id]


def test_only_units_of_the_asked_time_are_found(memory: Memory) -> None:
    inside = memory.unit("green parrot", occurred_start=NOW - timedelta(days=1), days=0)
    said = memory.unit("green parrot song", days=1)
    memory.unit("green parrot", occurred_start=NOW - timedelta(days=9), days=1)
    memory.unit("green parrot", days=5)
    assert {hit.id for hit in search(Channel.TEMPORAL, memory, QUERY)} == {inside.id, said.id}


def test_an_occurrence_that_began_before_the_window_and_reaches_into_it_is_found(memory: Memory) -> None:
    long = memory.unit("green parrot", occurred_start=NOW - timedelta(days=30), occurred_end=NOW, days=40)
    assert [hit.id for hit in search(Channel.TEMPORAL, memory, QUERY)] == [long.id]


def test_without_a_time_in_the_query_the_temporal_channel_is_silent(memory: Memory) -> None:
    memory.unit("green parrot")
    assert search(Channel.TEMPORAL, memory, "green parrot") == []


def test_a_unit_that_only_shares_the_time_is_no_answer(memory: Memory) -> None:
    memory.unit("zebra walrus", occurred_start=NOW - timedelta(days=1))
    assert search(Channel.TEMPORAL, memory, QUERY) == []
