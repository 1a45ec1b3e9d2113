"""What is so beside what else is so, and what is so for a while only."""

import pytest

from banks.retain.relationships.relations import Beside
from tests.banks.retain.engines.builtin.found import find_held
from tests.banks.retain.engines.builtin.talk import told


def kinds(text: str) -> list[tuple[str, str, bool]]:
    """With whether it stands beside others."""
    found = (each for fact in told(f"Ann: {text}") for each in fact.relationships)
    return [(each.relation, each.object, isinstance(each, Beside)) for each in found]


@pytest.mark.parametrize(
    ("text", "relation", "thing"),
    [
        ("I also work at Aldi.", "works_at", "Aldi"),
        ("I work at Aldi as well.", "works_at", "Aldi"),
        ("I have a second job at Aldi.", "works_at", "Aldi"),
        ("On weekends I work at Aldi.", "works_at", "Aldi"),
        ("I work at Oxfam once a month.", "works_at", "Oxfam"),
        ("I work as a barista on Sundays.", "occupation", "barista"),
        ("I also live in Paris half of the year.", "lives_in", "Paris"),
        ("From Monday to Friday I live in Hamburg.", "lives_in", "Hamburg"),
        ("My other favourite band is Abba.", "favourite_band", "Abba"),
        ("I'm dating Sam too.", "dating", "Sam"),
    ],
)
def test_words_of_addition_and_of_some_days_take_no_place(text: str, relation: str, thing: str) -> None:
    assert kinds(text) == [(relation, thing, True)]


@pytest.mark.parametrize(
    "text",
    [
        "I work at Aldi now.",
        "I've been working at Aldi for three years.",
        "My sister also lives in Rome, and I work at Aldi.",
    ],
)
def test_what_is_told_plainly_takes_the_place_of_the_former(text: str) -> None:
    assert ("works_at", "Aldi", False) in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm working at Starbucks today because the office is closed.",
        "I'm living in Rome for three months.",
        "This week I live in a hotel in Munich.",
        "From Monday I live in Hamburg for two weeks.",
        "I live in Rome until May.",
        "I work at home on Fridays.",
    ],
)
def test_what_is_so_for_a_while_is_no_home_and_no_job(text: str) -> None:
    assert kinds(text) == []


def test_one_works_for_somebody_at_a_firm() -> None:
    assert kinds("I work for Tom at Siemens.") == [("works_at", "Siemens", False)]


@pytest.mark.parametrize("text", ["I work at Siemens and at Aldi.", "I work at Siemens and Aldi."])
def test_the_second_of_two_stands_beside_the_first(text: str) -> None:
    assert kinds(text) == [("works_at", "Siemens", False), ("works_at", "Aldi", True)]


def test_a_favourite_is_of_its_kind() -> None:
    assert find_held("My favourite dress colour is red.") == [("Ann", "favourite_dress_color", "red")]
