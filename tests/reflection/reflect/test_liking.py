"""Questions about what would please somebody, without a language model."""

import pytest

from banks.words import Network
from providers.reranking.none import NoReranker
from reflection.reflect.extracting import NOT_IN_MEMORY, choose, tell_extract
from reflection.reflect.liking import asks_for_taste, find_likes
from reflection.reflect.reflect import reflect
from reflection.reflect.tools import ReflectTools
from retrieval.types import RecallItem, Voice
from tests.reflection.reflect.answers import ask
from tests.reflection.reflect.remembered import gather, make_item
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory

BIRTHDAY = "What would Caroline like for her birthday?"


def say(number: int, name: str, text: str) -> RecallItem:
    return make_item(number, f"{name}: {text}", voices=(Voice(name, "user"),))


def likes(question: str, *items: RecallItem) -> list[str]:
    return [piece.shown for piece in find_likes(question, gather(*items).memories)]


@pytest.mark.parametrize(
    "question",
    [
        BIRTHDAY,
        "What does Caroline enjoy?",
        "Can you recommend a gift for Caroline?",
        "what are caroline's hobbies?",
        "Was w\u00fcrde Caroline zum Geburtstag gefallen?",
        "Quel cadeau pour Caroline ?",
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "I love jazz and hiking.",
        "Caroline loves jazz and hiking.",
        "It rained. My favourite music is jazz.",
        "I'm really into jazz.",
        "Caroline plays the drums and adores jazz.",
        "Caroline says that she enjoys jazz.",
        "Ich liebe Jazz.",
        "J'adore le jazz.",
    ],
)
def test_what_the_named_one_likes_is_found_however_it_is_said(question: str, text: str) -> None:
    assert asks_for_taste(question)
    [told] = likes(question, say(1, "Caroline", text))
    assert "jazz" in told.lower()


@pytest.mark.parametrize(
    "text",
    [
        "I don't like jazz.",
        "I hate jazz.",
        "It looks like jazz to me.",
        "I would like to ask about jazz.",
        "Do you like jazz?",
        "Bob loves jazz.",
        "Bob told me that he loves jazz.",
        "Caroline's brother Max loves jazz.",
    ],
)
def test_what_is_no_liking_of_the_named_one_is_not_told(text: str) -> None:
    assert likes(BIRTHDAY, say(1, "Caroline", text)) == []


def test_nobody_is_taken_for_another() -> None:
    others = [say(1, "Bob", "I love golf."), say(2, "Bob", "Bob met Caroline and Bob loves golf.")]
    about = [say(3, "Bob", "Caroline is fond of opera."), say(4, "Bob", "For my birthday I love cakes.")]
    assert likes(BIRTHDAY, *others, *about) == ["Bob: Caroline is fond of opera."]
    assert likes("What should I give Caroline for her birthday?", *others) == []
    assert likes("What would I like for dinner?", say(1, "Bob", "I love rice.")) == ["Bob: I love rice."]


@pytest.mark.parametrize(
    "question",
    [
        "Recommend me some music.",
        "What should I do tonight?",
        "Can you suggest a trip for me?",
        "Which gift would I like?",
    ],
)
@pytest.mark.parametrize(
    "text",
    ["Ann loves jazz.", "Ann is a vegetarian.", "Ann doesn't eat meat.", "I love jazz.", "My son and I are vegan."],
)
def test_what_is_recommended_to_the_asker_builds_on_what_is_known_of_him(question: str, text: str) -> None:
    assert asks_for_taste(question)
    assert likes(question, say(1, "Ann", text)) == [text if text.startswith("Ann") else f"Ann: {text}"]


@pytest.mark.parametrize(
    "text",
    [
        "Tom loves jazz.",
        "Ann's brother loves jazz.",
        "My dog loves jazz.",
        "Ann met Tom and Tom is vegan.",
        "Ann sleeps.",
    ],
)
def test_what_is_known_of_another_is_not_recommended_to_the_asker(text: str) -> None:
    assert likes("Recommend me some music.", say(1, "Ann", text)) == []


def test_who_asks_is_known_only_where_one_alone_speaks_as_a_user() -> None:
    question = "Recommend me some music."
    own, others = say(1, "Ann", "Ann loves jazz."), say(2, "Bob", "Bob loves rock.")
    assert likes(question, own, others) == []
    assert likes("Recommend Bob some music.", own, others) == ["Bob loves rock."]
    assert likes(question, make_item(1, "I love jazz.")) == ["I love jazz."]
    assert likes(question, make_item(1, "I love jazz.", network=Network.EXPERIENCE)) == []


def test_whether_to_do_a_thing_is_no_question_of_taste() -> None:
    assert not asks_for_taste("Should I call the bank?")


def test_a_belief_is_no_liking() -> None:
    belief = make_item(1, "I think Caroline loves golf.", network=Network.OPINION, confidence=0.7)
    assert likes(BIRTHDAY, belief) == []


def test_likes_come_before_what_is_near_and_are_cited_and_dated() -> None:
    memories = gather(say(1, "Caroline", "Caroline's birthday is in May."), say(2, "Caroline", "I love jazz.")).memories
    chosen = choose(BIRTHDAY, memories, NoReranker(), WordEmbedder())
    lines = [(line.text, line.memory.label if line.memory else 0) for line in tell_extract(BIRTHDAY, chosen, NOW)]
    assert lines[0][0].startswith("Caroline: I love jazz. (told ")
    assert lines[0][1] == 2


def test_reflect_answers_it_or_says_that_nothing_is_known(memory: Memory, builtin: ReflectTools) -> None:
    memory.unit("Bob bought a boat")
    unknown = reflect(memory.bank, ask(BIRTHDAY), builtin)
    assert (unknown.text, unknown.not_in_memory) == (NOT_IN_MEMORY, True)
    memory.unit("Caroline loves jazz and hiking")
    known = reflect(memory.bank, ask(BIRTHDAY), builtin)
    assert known.text.startswith("Caroline loves jazz and hiking")
    assert (known.not_in_memory, len(known.cited)) == (False, 1)
