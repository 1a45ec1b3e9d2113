"""Questions in the first person against memories that tell of the asker by name."""

import pytest

from providers.embedding.onnx import OnnxEmbedder
from providers.reranking.onnx import OnnxReranker
from reflection.reflect.builtin import scoring
from reflection.reflect.builtin.asker import find_asker, write_of_third
from reflection.reflect.builtin.choosing import choose
from reflection.reflect.builtin.pieces import Piece
from retrieval.types import RecallItem, Voice
from tests.reflection.reflect.remembered import gather, make_item


def say(number: int, text: str, name: str = "Ann", role: str = "user") -> RecallItem:
    return make_item(number, text, voices=(Voice(name, role),))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where do I work?", "Where does she work?"),
        ("Don't I have a cat?", "Doesn't she have a cat?"),
        ("Am I a twin?", "Is she a twin?"),
        ("What am I saving for?", "What is she saving for?"),
        ("Where was I born?", "Where was she born?"),
        ("What have I bought?", "What has she bought?"),
        ("What I'm allergic to?", "What she is allergic to?"),
        ("my dog's name?", "her dog's name?"),
        ("What did my doctor tell me?", "What did her doctor tell her?"),
        ("Is that bike mine?", "Is that bike hers?"),
        ("where do i work", "where does she work"),
        ("Tell me where my keys are.", "Tell me where her keys are."),
        ("Who fought in World War I?", "Who fought in World War I?"),
        ("Where does Tom work?", "Where does Tom work?"),
        ("Wo arbeite ich?", "Wo arbeite ich?"),
    ],
)
def test_the_question_is_put_of_a_third_person(question: str, asked: str) -> None:
    assert write_of_third(question) == asked


@pytest.mark.parametrize(
    ("text", "put"),
    [
        ("Ann works in Graz.", ("Where does she work?", "she works in Graz.")),
        ("Ann: Ann works in Graz.", ("Where does she work?", "she works in Graz.")),
        ("Ann: We work in our own shop.", ("Where does she work?", "She work in her own shop.")),
        ("Bob and Ann: We work.", ("Where does she work?", "Bob and she: We work.")),
        ("Ann: Ann's firm is in Graz.", ("Where does she work?", "her firm is in Graz.")),
        ("Ann: I work in Graz.", ("Where do I work?", "Ann: I work in Graz.")),
        ("Anna works in Graz.", ("Where do I work?", "Anna works in Graz.")),
    ],
)
def test_a_memory_that_names_the_asker_is_compared_in_the_third_person(text: str, put: tuple[str, str]) -> None:
    memories = gather(say(1, text)).memories
    assert find_asker("Where do I work?", memories).put(Piece(memories[0], text)) == put


def test_who_asks_is_not_guessed() -> None:
    own, others = say(1, "Ann works in Graz."), say(2, "Bob works in Linz.", "Bob")
    assert find_asker("Where do I work?", gather(own).memories).name == "Ann"
    assert find_asker("Where do I work?", gather(own, say(2, "I answered.", "Bot", "assistant")).memories).name == "Ann"
    assert find_asker("Where do I work?", gather(own, others).memories).name == ""
    assert find_asker("What should I give Ann?", gather(own).memories).name == ""
    assert find_asker("Where does Tom work?", gather(own).memories).name == ""


LIFE = [
    "Ann is a nurse by trade.",
    "Ann is engaged to Milo.",
    "Ann: Ann's brother Nils works at the harbour.",
    "Ann has a twin sister named Carla.",
    "Ann takes vitamin D daily.",
    "Ann cannot stand cilantro.",
    "Ann: Ann's daughter Ida is four.",
    "Ann: Ann's neighbour Olga plays the tuba.",
]


@pytest.fixture(scope="module")
def models() -> tuple[OnnxReranker, OnnxEmbedder]:
    return OnnxReranker(threads=1), OnnxEmbedder(threads=1)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is my fiance?", 1),
        ("Do I have any siblings?", 3),
        ("Which supplements do I take?", 4),
        ("Do I like cilantro?", 5),
        ("How old is my daughter?", 6),
        ("Where do I work?", None),
        ("Which instrument do I play?", None),
        ("What car do I drive?", None),
        ("What is my favourite food?", None),
        ("What is my son's name?", None),
        ("When was I born?", None),
    ],
)
def test_memory_answers_what_it_holds_of_the_asker_and_no_more(
    models: tuple[OnnxReranker, OnnxEmbedder], monkeypatch: pytest.MonkeyPatch, question: str, told: int | None
) -> None:
    monkeypatch.setattr(scoring, "SECONDS", 60.0)  # whatever else the machine has to do
    memories = gather(*(say(number, text) for number, text in enumerate(LIFE, 1))).memories
    chosen = choose(question, memories, *models)
    assert [piece.memory.label - 1 for piece in chosen.evidence[:1]] == ([] if told is None else [told])
