import pytest

from reflection.reflect.builtin.listing import ask_which


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many bicycles were bought?", "Which bicycles were bought?"),
        ("Tell me how many people came.", "Tell me which people came."),
        ("How much did Ann pay?", "What did Ann pay?"),
        ("Wie viele Fahrräder wurden gekauft?", "Welche Fahrräder wurden gekauft?"),
        ("Combien d'amis a-t-elle ?", "Quels amis a-t-elle ?"),
        ("How many times did she swim?", "How many times did she swim?"),
        ("Count the bicycles.", "Count the bicycles."),
    ],
)
def test_how_many_is_asked_as_which(question: str, asked: str) -> None:
    assert ask_which(question) == asked
