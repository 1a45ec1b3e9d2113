from dataclasses import replace

import pytest

from banks.words import Network
from providers.reranking.none import NoReranker
from retrieval.ranking.same_words import comes_last, put_told_last
from retrieval.recall import RecallTools, recall
from retrieval.types import Ranked
from tests.retrieval.memory import Memory
from tests.retrieval.ranking.factories import make_id, make_ranked
from tests.retrieval.test_recall import QUERY


def telling(number: int, text: str, *tags: str, network: Network = Network.WORLD) -> Ranked:
    return make_ranked(id=make_id(number), text=text, tags=tags, network=network)


def order(*ranked: Ranked) -> list[int]:
    return [one.candidate.id.int for one in put_told_last(ranked, comes_last)]


def test_the_words_of_a_better_one_under_other_tags_come_last() -> None:
    assert order(telling(1, "tea", "a"), telling(2, "tea", "b"), telling(3, "tea"), telling(4, "oat")) == [1, 4, 2, 3]


def test_what_comes_last_is_marked() -> None:
    ranked = put_told_last([telling(1, "tea", "a"), telling(2, "tea", "b"), telling(3, "oat")], comes_last)
    assert [one.scores.comes_last for one in ranked] == [False, False, True]


def test_the_same_words_under_the_same_tags_are_another_event() -> None:
    assert order(telling(1, "tea", "a"), telling(2, "tea", "a"), telling(3, "oat")) == [1, 2, 3]


def test_an_opinion_and_another_bank_repeat_nothing() -> None:
    opinion, elsewhere = telling(2, "tea", "b", network=Network.OPINION), telling(3, "tea", "c")
    assert order(telling(1, "tea", "a"), opinion, elsewhere._replace(bank_id="other"), telling(4, "oat")) == [
        1,
        2,
        3,
        4,
    ]


@pytest.mark.parametrize("network", [Network.WORLD, Network.EXPERIENCE])
@pytest.mark.parametrize("words", ["Ana sings.", "ana  sings", "ANA SINGS."])
def test_an_observation_in_the_words_of_a_fact_comes_last_wherever_the_fact_stands(
    network: Network, words: str
) -> None:
    observed, fact = telling(1, words, network=Network.OBSERVATION), telling(2, "Ana sings.", "a", network=network)
    assert order(observed, telling(3, "oat"), fact) == [3, 2, 1]
    assert order(fact, observed, telling(3, "oat")) == [2, 3, 1]


def test_an_observation_keeps_its_place_beside_other_words_an_opinion_and_the_fact_of_another_bank() -> None:
    observed = telling(1, "tea", network=Network.OBSERVATION)
    opinion, elsewhere = telling(3, "tea", network=Network.OPINION), telling(4, "tea")._replace(bank_id="other")
    assert order(observed, telling(2, "green tea"), opinion, elsewhere) == [1, 2, 3, 4]


@pytest.mark.parametrize("reranks", [True, False])
def test_a_recall_tells_something_else_before_it_repeats_itself(
    memory: Memory, tools: RecallTools, *, reranks: bool
) -> None:
    for session in "abc":
        memory.unit("Alice moved to Lisbon", tags=[session])
    memory.unit("Alice moved a chair")
    asked = tools if reranks else replace(tools, reranker=NoReranker())
    texts = [item.text for item in recall(memory.bank, QUERY, asked).items]
    assert texts == ["Alice moved to Lisbon", "Alice moved a chair", *["Alice moved to Lisbon"] * 2]
