import pytest

from tests.banks.retain.engines.builtin.found import Triple, find_held, find_over


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("I no longer work at Acme.", ("Ann", "works_at", "Acme")),
        ("I don't work at Acme anymore.", ("Ann", "works_at", "Acme")),
        ("I'm not working at Acme any longer.", ("Ann", "works_at", "Acme")),
        ("I no longer live in Boston.", ("Ann", "lives_in", "Boston")),
        ("I don't live in Boston any more.", ("Ann", "lives_in", "Boston")),
        ("I no longer work as a nurse.", ("Ann", "occupation", "nurse")),
        ("My favourite colour is no longer blue.", ("Ann", "favourite_color", "blue")),
    ],
)
def test_what_is_so_no_more_is_over(text: str, over: Triple) -> None:
    assert find_over(text) == [over]
    assert find_held(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I don't work at Acme.",
        "I can't live in Boston anymore.",
        "I don't want to work at Acme anymore.",
        "I don't think Bob works at Acme anymore.",
        "If I no longer work at Acme, I will be free.",
        "When I no longer lived in Boston, I missed the sea.",
        "I no longer lived in Boston.",
        "I no longer live with my parents.",
        "We no longer live together.",
    ],
)
def test_what_is_denied_wished_or_told_of_another_time_neither_holds_nor_is_over(text: str) -> None:
    assert find_over(text) == find_held(text) == []


def test_what_is_joined_to_it_with_its_own_subject_holds() -> None:
    text = "I no longer live in Boston but I work at Acme."
    assert find_over(text) == [("Ann", "lives_in", "Boston")]
    assert find_held(text) == [("Ann", "works_at", "Acme")]


@pytest.mark.parametrize(
    "text",
    ["My favourite colour isn't blue anymore, it's red.", "My favourite colour is not blue anymore. It is red now."],
)
def test_it_is_the_favourite_that_was_another_before(text: str) -> None:
    assert find_over(text) == [("Ann", "favourite_color", "blue")]
    assert find_held(text) == [("Ann", "favourite_color", "red")]


def test_it_is_nothing_in_particular_where_no_favourite_ended() -> None:
    assert find_held("My favourite colour is blue. It is red at night.") == [("Ann", "favourite_color", "blue")]
