"""BM25 ranks within the filters: memories that a filter hides take no place in the list of a channel."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from retrieval.filters.types import Filters, Tags, TimeRange
from retrieval.types import Budget, Channel, PointInTime
from tests.retrieval.channels.searching import search
from tests.retrieval.memory import NOW, Memory

FEW = Budget(nodes=2, rerank_depth=1, rerank_seconds=None)
MANY = 24  # ten times the budget and more
QUERY = "green parrot"
BEHIND = "the green parrot flew over the long road to the sea"  # shorter texts with these words rank higher
RARE = Filters(tags=Tags(("rare",), "any_strict"))
LONG_AGO = NOW - timedelta(days=100)
FILTERS: Mapping[str, Mapping[str, Any]] = {
    "tag": {"filters": RARE},
    "metadata": {"filters": Filters(metadata={"colour": "green"})},
    "entity": {"filters": Filters(entities=("Alice",))},
    "mentioned": {"filters": Filters(mentioned=TimeRange(end=LONG_AGO))},
    "occurred": {"filters": Filters(occurred=TimeRange(end=LONG_AGO))},
    "known_at": {"moment": PointInTime(known_at=LONG_AGO)},
    "as_of": {"moment": PointInTime(as_of=LONG_AGO)},
}


def make_rare(memory: Memory) -> Any:
    """A unit that passes each of the filters."""
    then = LONG_AGO - timedelta(days=5)
    alice = memory.entity("Alice")
    unit = memory.unit(BEHIND, days=110, tags=["rare"], about=[alice], occurred_start=then, valid_from=then)
    memory.metadata(unit, "colour", "green")
    return unit


@pytest.mark.parametrize("name", FILTERS)
def test_a_rare_memory_is_found_by_its_words_behind_many_others(memory: Memory, name: str) -> None:
    rare = make_rare(memory)
    for _ in range(MANY):
        memory.unit("green parrot", days=1, tags=["common"], valid_from=NOW - timedelta(days=1))
    hits = search(Channel.KEYWORD, memory, QUERY, budget=FEW, **FILTERS[name])
    assert [hit.id for hit in hits] == [rare.id]


def test_the_order_within_the_filter_is_that_of_bm25(memory: Memory) -> None:
    last, first, second = (
        memory.unit(text, tags=["rare"])
        for text in ("a parrot on the long road to the sea", "green parrot", "a green parrot in the old garden")
    )
    for _ in range(MANY):
        memory.unit("green parrot green parrot")
    hits = search(Channel.KEYWORD, memory, QUERY, budget=FEW, filters=RARE)
    assert [hit.id for hit in hits] == [first.id, second.id]
    plain = {hit.id: hit.score for hit in search(Channel.KEYWORD, memory, QUERY)}
    assert [hit.score for hit in hits] == [plain[first.id], plain[second.id]]
    assert plain[last.id] < plain[second.id]


def test_a_common_filter_keeps_the_best_of_its_memories(memory: Memory) -> None:
    units = [memory.unit(f"green parrot{' sea' * place}", tags=["rare"]) for place in range(3)]
    for _ in range(3):
        memory.unit("green parrot")
    hits = search(Channel.KEYWORD, memory, QUERY, budget=FEW, filters=RARE)
    assert [hit.id for hit in hits] == [units[0].id, units[1].id]


def test_a_chunk_of_a_rare_memory_is_found_by_its_words(memory: Memory) -> None:
    rare = memory.unit("something else", tags=["rare"])
    memory.quote(rare, memory.chunk(text=BEHIND))
    for _ in range(MANY):
        memory.quote(memory.unit("another thing"), memory.chunk(text="green parrot"))
    hits = search(Channel.ARCHIVE_WORDS, memory, QUERY, budget=FEW, filters=RARE)
    assert [hit.id for hit in hits] == [rare.id]


def test_a_chunk_of_messages_is_found_too(memory: Memory) -> None:
    rare, message = memory.unit("something else", tags=["rare"]), memory.message(BEHIND)
    memory.chunk(message)
    memory.quote(rare, message)
    for _ in range(MANY):
        memory.chunk(text="green parrot")
    hits = search(Channel.ARCHIVE_WORDS, memory, QUERY, budget=FEW, filters=RARE)
    assert [hit.id for hit in hits] == [rare.id]


def test_a_lone_chunk_is_found_by_its_words_under_a_range_of_time(memory: Memory) -> None:
    old = memory.chunk(text=BEHIND, said_at=NOW - timedelta(days=110))
    for _ in range(MANY):
        memory.chunk(text="green parrot")
    filters = Filters(mentioned=TimeRange(end=LONG_AGO))
    hits = search(Channel.ARCHIVE_WORDS, memory, QUERY, budget=FEW, filters=filters)
    assert [hit.id for hit in hits] == [old.id]


@pytest.mark.parametrize("corpus", ["episode", "relationship"])
def test_a_summary_of_a_rare_memory_is_found_by_its_words(memory: Memory, corpus: str) -> None:
    rare = memory.unit("something else", tags=["rare"])
    if corpus == "episode":
        message = memory.message("hello", episode=memory.episode(BEHIND, embedding=None))
        memory.quote(rare, message)
    else:
        memory.relationship(BEHIND, rare, embedding=None)
    for place in range(MANY):
        if corpus == "episode":
            memory.episode("green parrot", embedding=None)
        else:
            memory.relationship(f"green parrot {place}", embedding=None)
    hits = search(Channel.SUMMARIES, memory, QUERY, budget=FEW, filters=RARE)
    assert [hit.id for hit in hits] == [rare.id]
