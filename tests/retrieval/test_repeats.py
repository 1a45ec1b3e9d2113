from dataclasses import replace
from uuid import UUID

import pytest

from banks.enums import Network
from retrieval.ranking import put_repeats_last
from retrieval.recall import RecallTools, recall
from retrieval.types import Ranked, RecallQuery, SourceSpan
from tests.retrieval.factories import make_id, make_ranked
from tests.retrieval.memory import NOW, Memory
from tests.retrieval.test_derivation import LengthReranker


def quoting(number: int, *messages: int, network: Network = Network.WORLD) -> Ranked:
    sources = tuple(SourceSpan(UUID(int=one), None, "", 0, 5, "said") for one in messages)
    return make_ranked(id=make_id(number), sources=sources, network=network)


def tagged(number: int, text: str, *tags: str, network: Network = Network.WORLD) -> Ranked:
    return make_ranked(id=make_id(number), text=text, tags=tags, network=network)


def order(*ranked: Ranked) -> list[int]:
    return [one.candidate.id.int for one in put_repeats_last(ranked)]


def test_another_part_of_a_message_comes_after_all_others() -> None:
    assert order(quoting(1, 7), quoting(2, 7), quoting(3, 8)) == [1, 3, 2]


def test_a_unit_that_quotes_one_more_message_stays() -> None:
    assert order(quoting(1, 7), quoting(2, 7, 8), quoting(3, 9)) == [1, 2, 3]


def test_an_opinion_is_no_repeat_of_a_fact() -> None:
    assert order(quoting(1, 7), quoting(2, 7, network=Network.OPINION), quoting(3, 8)) == [1, 2, 3]


def test_a_unit_that_quotes_no_message_stays() -> None:
    assert order(quoting(1), quoting(2), quoting(3)) == [1, 2, 3]


def test_a_duplicate_under_other_tags_comes_last_and_is_marked() -> None:
    ranked = [tagged(1, "tea", "a"), tagged(2, "tea", "b"), tagged(3, "tea"), tagged(4, "oat")]
    assert order(*ranked) == [1, 4, 2, 3]
    assert [one.scores.comes_last for one in put_repeats_last(ranked)] == [False, False, True, True]


def test_the_same_text_under_the_same_tags_is_another_event() -> None:
    assert order(tagged(1, "tea", "a"), tagged(2, "tea", "a"), tagged(3, "oat")) == [1, 2, 3]


def test_an_opinion_or_another_bank_has_no_duplicate_here() -> None:
    opinion, elsewhere = tagged(2, "tea", "b", network=Network.OPINION), tagged(3, "tea", "c")
    assert order(tagged(1, "tea", "a"), opinion, elsewhere._replace(bank_id="other"), tagged(4, "oat")) == [1, 2, 3, 4]


@pytest.mark.parametrize("reranks", [True, False])
def test_a_recall_shows_another_memory_before_a_duplicate(memory: Memory, tools: RecallTools, *, reranks: bool) -> None:
    for session in "abc":
        memory.unit("Alice moved to Lisbon", tags=[session])
    memory.unit("Alice moved a chair")
    asked = replace(tools, reranker=LengthReranker()) if reranks else tools
    texts = [item.text for item in recall(memory.bank, RecallQuery("Where did Alice move, Lisbon?", NOW), asked).items]
    assert texts == ["Alice moved to Lisbon", "Alice moved a chair", *["Alice moved to Lisbon"] * 2]
