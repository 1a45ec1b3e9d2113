import pytest
from hypothesis import given
from hypothesis import strategies as st

from banks.entities.names.normalise import normalise_name
from retrieval.query.names import MOST, list_name_candidates


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Where does Alice work?", "Alice"),
        ("where does alice work", "alice"),
        ("What did Alice's sister say?", "Alice"),
        ("Has anyone been to New York City lately?", "New York City"),
        ("Who is the Department of Justice suing?", "Department of Justice"),
        ("Did I like the The Who concert?", "The Who"),
        ("When is Dr. Smith free?", "Dr. Smith"),
        ("Is AT&T cheaper than O2?", "AT&T"),
        ("Do I know C++ and C#?", "C++"),
        ("What about Jean-Luc?", "Jean-Luc"),
        ("Wo wohnt Jürgen Müller?", "Jürgen Müller"),
        ("Где живёт Анна?", "Анна"),
        ("张伟住在哪里", "张伟"),
    ],
)
def test_a_name_is_among_the_candidates(query: str, name: str) -> None:
    assert normalise_name(name) in list_name_candidates(query)


def test_stop_words_are_no_names() -> None:
    assert list_name_candidates("What is it that you and I should have done?") == ("done",)
    assert list_name_candidates("the of and") == ()


def test_a_name_does_not_reach_over_the_end_of_a_sentence() -> None:
    candidates = list_name_candidates("I met Anna. Tom was there?")
    assert {"anna", "tom"} <= set(candidates)
    assert "anna tom" not in candidates


def test_capitalised_names_come_first() -> None:
    assert list_name_candidates("please tell what happened with Bob Miller yesterday")[:2] == ("bob", "miller")


def test_there_is_a_bound_and_names_are_within_it() -> None:
    candidates = list_name_candidates("some more words here " * 20 + "and Alice Miller " + "some more words " * 5)
    assert len(candidates) <= MOST
    assert "alice miller" in candidates


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_any_text_has_candidates_that_are_normalised_and_bounded(text: str) -> None:
    candidates = list_name_candidates(text)
    assert len(set(candidates)) == len(candidates) <= MOST
    assert all(any(character.isalnum() for character in name) for name in candidates)
