import pytest

from tests.banks.retain.engines.builtin.found import Triple, find_held


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Tom and I got married.", ("Ann", "married_to", "Tom")),
        ("Alice and Bob got married.", ("Alice", "married_to", "Bob")),
        ("Tom and I are engaged.", ("Ann", "engaged_to", "Tom")),
    ],
)
def test_two_who_came_together_are_a_couple(text: str, held: Triple) -> None:
    assert find_held(text) == [held]


@pytest.mark.parametrize(
    "text",
    [
        "We got married in May.",
        "I am married.",
        "Tom and I aren't married.",
        "Tom and I will get married.",
        "Did Tom and I get married?",
        "Tom, Ann and Peter got married.",
        "Tom and I are engaged in talks.",
    ],
)
def test_without_two_names_or_told_as_untrue_there_is_no_couple(text: str) -> None:
    assert find_held(text) == []
