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
        ("You aren't from Texas.", "I am not from Texas."),
        ("You aren\u2019t a nurse and aren't happy.", "I am not a nurse and am not happy."),
        ("Ada isn't a nurse.", "I am not a nurse."),
        ("Ada doesn't like tea.", "I don't like tea."),
        ("You're not from Texas.", "I'm not from Texas."),
        ("You don't have dogs anymore.", "I don't have dogs anymore."),
        ("She likes jazz.", "She likes jazz."),
        ("Du wohnst in Wien.", "Du wohnst in Wien."),
        ("", ""),
    ],
)
def test_what_is_said_to_or_of_the_agent_becomes_its_own_words(said: str, own: str) -> None:
    assert to_first_person(said, "Ada") == own


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("She likes jazz.", "I like jazz."),
        ("He isn't from Texas and has two dogs.", "I am not from Texas and have two dogs."),
        ("Ada is a nurse. She loves her work.", "I am a nurse. I love my work."),
        ("His work is hard.", "My work is hard."),
        ("Ann is a nurse. She likes jazz.", "Ann is a nurse. She likes jazz."),
        ("Your wife likes jazz. She sings.", "My wife likes jazz. She sings."),
        ("You know that she likes jazz.", "I know that she likes jazz."),
    ],
)
def test_of_news_about_the_agent_the_third_person_is_the_agent_where_nobody_else_is_meant(said: str, own: str) -> None:
    assert to_first_person(said, "Ada", is_of_agent=True) == own
