import pytest

from reflection.reflect.builtin.rewording import ask_otherwise
from reflection.reflect.builtin.sharing import read_matter


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("Which languages is she learning?", "Ann learns Norwegian", 0.5),
        ("How many kids does Tomas have?", "Jana has two kids", 0.0),  # of another
        ("How many kids does Tomas have?", "Tomas is tall", 0.0),  # nothing but the name
        ("How many kids does Tomas have?", "Tomas has two kids", 1.0),
        ("Who is Tomas?", "Tomas is tall", 1.0),
        ("What did she wear?", "She wore green", 1.0),
        ("Where was it?", "It was here", 0.0),
    ],
)
def test_words_are_shared_only_with_what_has_the_names(question: str, text: str, share: float) -> None:
    assert read_matter(question).measure(text) == share


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("Where do I live?", "Where did I move to?"),
        ("where does my sister live now", "Where did my sister move to?"),
        ("What is the name of my dog?", "What is my dog called?"),
        ("What's my neighbour's name?", "What is my neighbour called?"),
        ("What are the names of Ann's kids?", "What are Ann's kids called?"),
        ("Where did I live in May?", ""),
        ("Who is Ann?", ""),
    ],
)
def test_a_question_for_a_state_or_a_name_has_other_words(question: str, other: str) -> None:
    assert ask_otherwise(question) == other
