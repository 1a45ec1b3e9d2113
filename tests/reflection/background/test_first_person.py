import pytest

from reflection.background.first_person import to_first_person


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("You are a creative engineer.", "I am a creative engineer."),
        ("You were born in Texas and have two dogs.", "I was born in Texas and have two dogs."),
        ("Your name is Ada.", "My name is Ada."),
        ("You're based in Paris and are happy.", "I'm based in Paris and am happy."),
        ("People trust you.", "People trust me."),
        ("You weren't born in Rome.", "I wasn't born in Rome."),
        ("Ada works at Acme and has two dogs.", "I work at Acme and have two dogs."),
        ("Ada's favourite colour is red.", "My favourite colour is red."),
        ("The assistant lives in Rome.", "I live in Rome."),
        ("I am fine.", "I am fine."),
        ("Bob lives in Rome.", "Bob lives in Rome."),
        ("", ""),
    ],
)
def test_what_is_said_to_or_of_the_agent_becomes_its_own_words(said: str, own: str) -> None:
    assert to_first_person(said, "Ada") == own
