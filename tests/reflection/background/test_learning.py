import pytest

from reflection.background.learning import find_snippets


@pytest.mark.parametrize(
    ("said", "learned"),
    [
        ("You were born in Texas. You met Bob yesterday.", ["I was born in Texas."]),
        ("Your name is Ada and you live in Rome.", ["My name is Ada and I live in Rome."]),
        ("Ada works at Acme.", ["I work at Acme."]),
        ("You don't live in Texas any more.", ["I don't live in Texas any more."]),
        ("You no longer work as a teacher.", ["I no longer work as a teacher."]),
        ("You don't look tired any more.", []),
        ("I live in Rome.", []),
        ("You and I live in Rome.", []),
        ("Were you born in Texas?", []),
        ("You look tired.", []),
    ],
)
def test_only_what_says_who_the_agent_is_is_learned(said: str, learned: list[str]) -> None:
    assert find_snippets([said], "Ada") == learned
