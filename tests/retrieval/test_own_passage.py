"""Ready facts beside turns with a passage in the archive."""

import pytest

from retrieval.fusion import Key, count_own_passages, fuse
from retrieval.hydration import hydrate
from retrieval.recall import RecallTools, recall
from retrieval.types import Candidate, Channel, Hit, PointInTime, RecallQuery
from tests.retrieval.factories import make_candidate, make_id
from tests.retrieval.memory import NOW, Memory

WEIGHTS = dict.fromkeys(Channel, 1.0)
FACT, TALK = Hit("unit", make_id(1), 0.9), Hit("unit", make_id(2), 0.5)
LISTS = {
    Channel.SEMANTIC: [FACT, TALK],
    Channel.KEYWORD: [FACT, TALK],
    Channel.ARCHIVE: [TALK],
    Channel.ARCHIVE_WORDS: [TALK],
}
CANDIDATES: dict[Key, Candidate] = {
    ("unit", FACT.id): make_candidate(id=FACT.id, is_own_passage=True),
    ("unit", TALK.id): make_candidate(id=TALK.id),
}


def test_a_ready_fact_ranks_in_the_archive_as_in_its_own_channel() -> None:
    fused = fuse(LISTS, WEIGHTS)
    assert [one.id for one in fused] == [TALK.id, FACT.id]
    first, second = count_own_passages(fused, CANDIDATES, WEIGHTS, LISTS)
    assert (first.id, round(first.score * 16, 9)) == (FACT.id, 4)
    assert {channel: place.rank for channel, place in first.places.items()} == dict.fromkeys(LISTS, 1)
    assert second == fused[0]


@pytest.mark.parametrize("searched", [[Channel.SEMANTIC, Channel.KEYWORD], [Channel.SEMANTIC, Channel.ARCHIVE_WORDS]])
def test_an_archive_that_was_not_searched_gives_no_places(searched: list[Channel]) -> None:
    lists = {channel: LISTS[channel] for channel in searched}
    (fact,) = [one for one in count_own_passages(fuse(lists, WEIGHTS), CANDIDATES, WEIGHTS, lists) if one.id == FACT.id]
    assert set(fact.places) == {channel for channel in searched if FACT in LISTS[channel]}


def test_an_extracted_fact_has_no_passage_of_its_own(memory: Memory) -> None:
    said, written, ready = memory.unit("said"), memory.unit("written"), memory.unit("ready")
    memory.quote(said, memory.message("said"))
    memory.quote(written, memory.chunk(text="written"))
    memory.quote(ready, memory.chunk(text="ready", is_indexed=False, embedding=None))
    observed = memory.unit("observed")
    keys: list[Key] = [("unit", unit.id) for unit in (said, written, ready, observed)]
    found = hydrate(memory.bank, keys, PointInTime())
    assert [candidate.is_own_passage for candidate in found] == [False, False, True, False]


def test_a_ready_fact_ranks_before_talk_of_the_same_words(memory: Memory, tools: RecallTools) -> None:
    memory.quote(
        memory.unit("Maren ran the marathon in two hours"), memory.chunk(text="x", is_indexed=False, embedding=None)
    )
    message = memory.message("Maren saw the marathon")
    memory.quote(memory.unit("Maren saw the marathon"), message)
    memory.chunk(message)
    result = recall(memory.bank, RecallQuery("Maren ran marathon two hours", NOW), tools)
    assert result.items[0].candidate.text == "Maren ran the marathon in two hours"
