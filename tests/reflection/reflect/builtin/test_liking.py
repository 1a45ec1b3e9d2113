"""Questions about what would please somebody, without a language model."""

from collections.abc import Sequence

import pytest

from banks.words import Network
from providers.reranking.none import NoReranker
from providers.reranking.protocol import Ranking, Scored
from reflection.reflect.builtin.choosing import choose
from reflection.reflect.builtin.liking import asks_for_taste, find_likes
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.tastes import ask_what_is_liked
from reflection.reflect.builtin.telling import NOT_IN_MEMORY, tell_extract
from reflection.reflect.reflect import reflect
from reflection.reflect.tools import ReflectTools
from retrieval.types import RecallItem, Voice
from tests.reflection.reflect.answers import ask
from tests.reflection.reflect.remembered import gather, make_item
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory

BIRTHDAY = "What would Caroline like for her birthday?"


class FamiliarReranker:
    """Near is what has the question's second word, or its stem."""

    model_id = "familiar"

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        matter = query.split()[1].removesuffix("s")
        return Ranking(Scored(index, float(matter in text) * 0.9) for index, text in enumerate(passages))


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
        "I am a doctor and love jazz.",
        "It rained. My favourite music is jazz.",
        "I'm really into jazz.",
        "Caroline plays the drums and adores jazz.",
        "Caroline says that she enjoys jazz.",
        "Caroline heard a concert and loved the jazz.",
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
        "I would have loved to hear jazz.",
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


@pytest.mark.parametrize(
    "question", ["Should I call the bank?", "Do I like techno?", "Does my sister love cats?", "Do I hate olives?"]
)
def test_whether_to_do_a_thing_or_whether_one_is_liked_is_no_question_of_taste(question: str) -> None:
    assert not asks_for_taste(question)


@pytest.mark.parametrize(
    "question",
    ["What should I cook for Tomas?", "What could I cook for my brother tonight?", "Recommend a dinner for Tomas."],
)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ann's brother Tomas is a vegetarian.", "Ann's brother Tomas is a vegetarian."),
        ("Tomas is allergic to mushrooms.", "Ann: Tomas is allergic to mushrooms."),
        ("Tomas can't stand olives.", "Ann: Tomas can't stand olives."),
        ("Tomas comes from Prague. He's a vegan.", "Ann: Tomas comes from Prague. He's a vegan."),
        ("Tomas met Bob. He's a vegan.", ""),
        ("Ann's sister Petra is a vegetarian.", ""),
        ("Ann is a vegetarian.", ""),
    ],
)
def test_what_is_recommended_for_another_builds_on_what_is_known_of_him(question: str, text: str, told: str) -> None:
    assert asks_for_taste(question)
    brother = say(1, "Ann", "Ann's brother Tomas is here.")
    assert likes(question, brother, say(2, "Ann", text)) == ([told] if told else [])


def test_who_is_meant_by_my_sister_is_known_where_one_alone_may_ask() -> None:
    vegan, bob = say(1, "Ann", "Petra is vegan."), say(3, "Bob", "Bob sleeps.")
    for named in ("Ann's sister is called Petra.", "Petra is Ann's sister.", "Ann's little sister, Petra, is here."):
        sister = say(2, "Ann", named)
        assert likes("What should I cook for my sister?", vegan, sister) == ["Ann: Petra is vegan."]
        assert likes("What should I cook for my sister?", vegan, sister, bob) == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What do I not like to eat?", [2, 3]),
        ("What food don't I like?", [2, 3]),
        ("What do I hate?", [2, 3]),
        ("What can't I eat?", [2, 3, 4]),
        ("What does Ann dislike?", [2, 3]),
        ("What does Bob dislike?", []),
    ],
)
def test_what_is_not_liked_is_never_answered_with_what_is(question: str, told: list[int]) -> None:
    tastes = ["Ann loves to eat spicy food.", "Ann hates coriander.", "Ann can't stand olives.", "Ann never eats nuts."]
    memories = gather(*(say(number, "Ann", text) for number, text in enumerate(tastes, 1))).memories
    chosen = choose(question, memories, FamiliarReranker(), WordEmbedder())
    assert sorted(piece.memory.label for piece in chosen.evidence) == told


def test_a_belief_is_no_liking() -> None:
    belief = make_item(1, "I think Caroline loves golf.", network=Network.OPINION, confidence=0.7)
    assert likes(BIRTHDAY, belief) == []


def test_likes_come_before_what_is_near_and_are_cited_and_dated() -> None:
    memories = gather(say(1, "Caroline", "Caroline's birthday is in May."), say(2, "Caroline", "I love jazz.")).memories
    chosen = choose(BIRTHDAY, memories, NoReranker(), WordEmbedder())
    lines = [(line.text, line.memory.label if line.memory else 0) for line in tell_extract(BIRTHDAY, chosen, NOW)]
    assert lines[0][0].startswith("Caroline: I love jazz. (told ")
    assert lines[0][1] == 2


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Recommend me a film for tonight.", "What films does she like?"),
        ("Can you suggest some music to me?", "What music does she like?"),
        ("Recommend Ann a good story.", "What stories does she like?"),
        ("What films does Ann like?", "What films does she like?"),
        ("What films would I like for a quiet evening?", "What films does she like?"),
        ("Which gift would I like?", "Which gift would she like?"),
        ("What should I see tonight?", "What should she see tonight?"),
        ("Recommend a film that Ann and Bob like.", "Recommend a film that Ann and Bob like."),
    ],
)
def test_a_request_is_put_as_the_question_that_a_liking_answers(question: str, asked: str) -> None:
    memories = gather(say(1, "Ann", "Ann loved Heat (Monday, May 4, 2026).")).memories
    asker = ask_what_is_liked(question, memories)
    told = "she loved Heat." if asker.name else "Ann: Ann loved Heat."
    assert asker.put(Piece(memories[0], memories[0].item.text)) == (asked, told)


TASTES = [
    say(1, "Ann", "Ann's favourite restaurant is Luma."),
    say(2, "Ann", "Ann hates the films that she calls horror."),
    say(3, "Ann", "Ann loved the old films she saw."),
    say(4, "Ann", "Ann is allergic to nuts."),
    say(5, "Ann", "Ann's favourite restaurant is Luma in Rome."),
]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What films does Ann like?", [3, 2]),
        ("Recommend me a film.", [3, 2]),
        ("Suggest a restaurant for me.", [5, 4]),
        ("Which restaurant is Ann's favourite?", [5]),
        ("Suggest a zoo for me.", [3, 4, 5]),
    ],
)
def test_of_a_matter_that_is_named_the_nearest_tastes_are_told_alone(question: str, told: list[int]) -> None:
    chosen = choose(question, gather(*TASTES).memories, FamiliarReranker(), WordEmbedder())
    assert [piece.memory.label for piece in chosen.evidence] == told


def test_reflect_answers_it_or_says_that_nothing_is_known(memory: Memory, builtin: ReflectTools) -> None:
    memory.unit("Bob bought a boat")
    unknown = reflect(memory.bank, ask(BIRTHDAY), builtin)
    assert (unknown.text, unknown.not_in_memory) == (NOT_IN_MEMORY, True)
    memory.unit("Caroline loves jazz and hiking")
    known = reflect(memory.bank, ask(BIRTHDAY), builtin)
    assert known.text.startswith("Caroline loves jazz and hiking")
    assert (known.not_in_memory, len(known.cited)) == (False, 1)


RUTH = "User's mother-in-law Ruth visits on Friday (Friday, March 6, 2026). She can't eat gluten and hates mushrooms."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What should I cook for Ruth?", [1]),
        ("What does Ruth dislike?", [1]),
        ("What should I cook for my mother-in-law?", [1]),
        ("What can Ruth not eat?", [1]),
        ("What does Zoe dislike?", [3]),
        ("What do I dislike?", [2]),
        ("What does Nadia dislike?", [3]),
        ("What does Otto dislike?", []),
    ],
)
def test_what_is_told_of_others_does_not_stand_beside_it(question: str, told: list[int]) -> None:
    items = [
        say(1, "User", RUTH),
        say(2, "User", "User hates olives."),
        say(3, "User", "Nadia hates onions. My daughter Zoe hates peas."),
        say(4, "User", "My husband Daniel can cook."),
    ]

    class Near:
        """Finds all dislikes near, and all cooking to what is cooked."""

        model_id = "near"

        def rerank(
            self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
        ) -> Ranking:
            near = (("cook" if "cook" in query else "hates") in text for text in passages)
            return Ranking(Scored(index, 0.9 * is_near) for index, is_near in enumerate(near))

    chosen = choose(question, gather(*items).memories, Near(), WordEmbedder())
    assert [piece.memory.label for piece in chosen.evidence] == told
