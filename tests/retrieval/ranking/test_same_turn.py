from uuid import UUID

from banks.words import Network
from retrieval.ranking.same_turn import put_repeats_last
from retrieval.types import Ranked, SourceSpan
from tests.retrieval.ranking.factories import make_id, make_ranked


def quoting(number: int, *messages: int, network: Network = Network.WORLD) -> Ranked:
    sources = tuple(SourceSpan(UUID(int=one), None, "", 0, 5, "said") for one in messages)
    return make_ranked(id=make_id(number), sources=sources, network=network)


def order(*ranked: Ranked) -> list[int]:
    return [one.candidate.id.int for one in put_repeats_last(ranked)]


def test_another_passage_of_a_turn_comes_after_all_others() -> None:
    assert order(quoting(1, 7), quoting(2, 7), quoting(3, 8)) == [1, 3, 2]


def test_what_quotes_one_more_turn_stays() -> None:
    assert order(quoting(1, 7), quoting(2, 7, 8), quoting(3, 9)) == [1, 2, 3]


def test_an_opinion_is_no_repeat_of_what_was_said() -> None:
    assert order(quoting(1, 7), quoting(2, 7, network=Network.OPINION), quoting(3, 8)) == [1, 2, 3]


def test_what_quotes_no_message_stays() -> None:
    assert order(quoting(1), quoting(2), quoting(3)) == [1, 2, 3]
