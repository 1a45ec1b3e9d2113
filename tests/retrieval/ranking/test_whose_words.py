import pytest

from retrieval.ranking.whose_words import Wanted, find_whose_words
from retrieval.types import Candidate, Voice
from tests.retrieval.ranking.factories import make_candidate


def said_by(name: str, role: str = "user") -> Candidate:
    return make_candidate(voices=(Voice(name, role),))


ANA, BRUNO, AGENT = said_by("Ana"), said_by("Bruno"), said_by("Assistant", "assistant")


@pytest.mark.parametrize(
    ("query", "names", "wanted"),
    [
        ("What did Ana buy?", ("ana", "buy"), Wanted(speaker="ana")),
        ("Where did Ana meet Bruno?", ("ana", "bruno"), Wanted()),
        ("What did Clara buy?", ("clara",), Wanted()),
        ("Which book did you recommend to me?", (), Wanted(role="assistant")),
        ("Can you recommend a book for my trip?", (), Wanted(role="user")),
        ("When did I move?", (), Wanted(role="user")),
        ("When was the bridge built?", (), Wanted()),
    ],
)
def test_whose_words_a_query_is_answered_by(query: str, names: tuple[str, ...], wanted: Wanted) -> None:
    assert find_whose_words(query, names, [ANA, BRUNO, AGENT]) == wanted


def test_only_what_that_one_said_is_covered() -> None:
    wanted = Wanted(speaker="ana")
    assert [wanted.covers(one) for one in (ANA, BRUNO, AGENT)] == [True, False, False]
    assert not Wanted().covers(ANA)
    assert Wanted(role="assistant").covers(AGENT)


def test_what_nobody_said_is_nobody_elses_words() -> None:
    written = make_candidate(voices=())
    assert (Wanted(speaker="ana").covers(written), Wanted(role="user").covers(written)) == (True, True)
    assert not Wanted().covers(written)
