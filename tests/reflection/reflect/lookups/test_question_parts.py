import pytest

from reflection.reflect.lookups.question_parts import MOST_PARTS, list_parts


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many model kits have I bought or built since May?", "model kits have I bought"),
        ("How many days passed between the concert in Rome and the trip to Oslo?", "trip to Oslo"),
        ("What do the red car and the blue bicycle both have in common?", "blue bicycle both have in common"),
    ],
)
def test_the_things_that_are_asked_about_are_looked_up_by_themselves(question: str, part: str) -> None:
    assert part in " | ".join(list_parts(question))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How many jobs, cities and neighbours does Alice have?",
            ["jobs does Alice have", "cities does Alice have", "neighbours does Alice have"],
        ),
        ("How many cats and dogs Alice owned?", ["cats Alice owned", "dogs Alice owned"]),
        (
            "How many cars, boats, and old bikes did I buy in May?",
            ["cars did I buy in May", "boats did I buy in May", "old bikes did I buy in May"],
        ),
        (
            "How many times did Alice visit Rome, Oslo and Lima?",
            ["did Alice visit Rome", "did Alice visit Oslo", "did Alice visit Lima"],
        ),
        ("How many kits have I bought or built since May?", ["kits have I bought", "kits have I built"]),
        ("How many cats and dogs?", []),
    ],
)
def test_each_thing_of_a_list_is_looked_up_with_what_is_asked_of_all(question: str, parts: list[str]) -> None:
    assert list_parts(question)[1:] == parts


def test_a_question_for_one_thing_has_no_parts() -> None:
    assert list_parts("Where does Alice live?") == []


def test_they_are_few_and_none_is_the_question_itself() -> None:
    question = "How many red cars, blue bicycles, green boats, old trains, new planes and fast horses are there?"
    parts = list_parts(question)
    assert len(parts) == MOST_PARTS
    assert question not in parts
