import pytest

from banks.retain.relationships.relations import holds_one_value
from tests.banks.retain.engines.builtin.found import find_held
from tests.banks.retain.engines.builtin.talk import MONDAY, told


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("I'm a nurse now.", [("Ann", "occupation", "nurse")]),
        ("My wife is a doctor.", [("Ann's wife", "profession", "doctor")]),
        ("I've become a teacher.", [("Ann", "occupation", "teacher")]),
        ("I was promoted to senior manager.", [("Ann", "occupation", "senior manager")]),
        (
            "I'm a software engineer at Acme.",
            [("Ann", "occupation", "software engineer"), ("Ann", "works_at", "Acme")],
        ),
    ],
)
def test_what_somebody_is_tells_what_he_works_as(text: str, held: list[tuple[str, str, str]]) -> None:
    assert find_held(text) == held


@pytest.mark.parametrize(
    "text",
    [
        "I was a nurse.",
        "I'm not a nurse.",
        "I want to become a teacher.",
        "I used to be a teacher.",
        "Is Bob a teacher?",
        "I'm a student at MIT.",
        "I'm a fan of Acme.",
        "I'm a morning person.",
        "She is my doctor.",
        "Bob became a father.",
        "I'm a big supporter of Acme.",
    ],
)
def test_what_is_past_wished_asked_or_no_work_is_no_occupation(text: str) -> None:
    assert find_held(text) == []


def test_who_is_one_thing_may_be_another_too() -> None:
    assert not holds_one_value("profession")
    assert find_held("I'm a teacher.") == [("Ann", "profession", "teacher")]


def test_what_one_became_began_and_what_one_is_says_no_day() -> None:
    (became,), (being,) = (told(f"Ann: {text}") for text in ("I became a teacher.", "I'm a teacher."))
    assert [each.valid_from for fact in (became, being) for each in fact.relationships] == [MONDAY, None]
