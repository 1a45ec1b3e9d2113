import pytest

from retrieval.query.question_type import find_type
from retrieval.types import QuestionType

TYPED = {
    QuestionType.TEMPORAL: [
        "When did Ines adopt the dog?",
        "Do you know when the lease ends?",
        "What year was the house built?",
        "How many days ago did I water the plants?",
        "How many weeks passed between the two flights?",
        "How long have they been married?",
        "Which did I buy first, the drill or the saw?",
        "Wann hat Ines den Hund geholt?",
        "¿Cuándo compré el coche?",
        "Quand est-ce que j'ai déménagé ?",
        "Quando ho comprato la macchina?",
        "Wanneer begint de cursus?",
        "Когда мы купили машину?",
        "我什么时候买的车",
    ],
    QuestionType.COUNTING: [
        "How many plants do I own?",
        "How much did I spend on tools?",
        "List all the museums I went to.",
        "What is the total number of guests?",
        "Wie viele Pflanzen habe ich?",
        "Combien de plantes ai-je ?",
        "¿Cuántas plantas tengo?",
        "Quante piante ho?",
        "Hoeveel planten heb ik?",
        "Quantas plantas tenho?",
        "Сколько растений мне подарили?",
        "我有多少植物",
    ],
    QuestionType.KNOWLEDGE_UPDATE: [
        "What is my current address?",
        "Do I still own the red bike?",
        "What car does Ines drive now?",
        "Wo wohne ich derzeit?",
        "Où est-ce que j'habite actuellement ?",
        "¿Dónde vivo ahora?",
        "Где я сейчас живу?",
        "我现在住在哪里",
    ],
    QuestionType.PREFERENCE: [
        "Can you recommend a film for tonight?",
        "What should I cook for my parents?",
        "Any tips for a balcony garden?",
    ],
    QuestionType.ASSISTANT_RECALL: [
        "What was the third hotel you recommended?",
        "Remind me what you said about the visa.",
        "In our previous conversation there was a recipe, which spice was in it?",
        "How many exercises did you suggest?",
    ],
    QuestionType.MULTI_HOP: [
        "What do Ines and Karl have in common?",
        "Which city did both of them visit?",
        "What is the difference between the two jobs?",
    ],
    QuestionType.FACTUAL: [
        "What is the name of my dentist?",
        "Where does Ines work?",
        "What did Ines say when she saw the garden?",
        "What film did Ines recommend to Karl?",
        "Wo arbeitet Ines?",
        "tea",
        "",
    ],
}


@pytest.mark.parametrize(("kind", "query"), [(kind, query) for kind, queries in TYPED.items() for query in queries])
def test_a_question_shows_its_type(kind: QuestionType, query: str) -> None:
    assert find_type(query, has_window=False) == kind


def test_a_question_with_a_window_is_temporal_unless_it_shows_something_else() -> None:
    assert find_type("What did I do last weekend?", has_window=True) == QuestionType.TEMPORAL
    assert find_type("How many films did I see last week?", has_window=True) == QuestionType.COUNTING
    assert find_type("What have you suggested last week?", has_window=True) == QuestionType.ASSISTANT_RECALL
