"""Segmentation with the vectors of the model that it was calibrated for."""

import pytest

from banks.retain.episodes import segment
from banks.types import Turn
from providers.embedding.onnx import OnnxEmbedder
from tests.banks.retain.episodes.talk import make_turn, spell

TOMATOES = [
    ("user", "My tomato seedlings are getting leggy on the windowsill. What am I doing wrong?"),
    (
        "assistant",
        "Leggy tomato seedlings want more light: move them to a brighter window and keep them cooler at night.",
    ),
    ("user", "Should I bury the stems deeper when I plant the tomatoes out in the garden bed?"),
    ("assistant", "Yes, bury tomato stems up to the first leaves, they grow roots all along the buried part."),
]
INVOICES = [
    ("user", "How do I write an SQL query that sums unpaid invoices per customer in Postgres?"),
    (
        "assistant",
        "Group by the customer and sum the amount where paid_at is null: SELECT customer_id, sum(amount) ...",
    ),
    ("user", "And how can I add an index so that this query over the invoices table is fast?"),
    ("assistant", "A partial index on invoices (customer_id) WHERE paid_at IS NULL serves that query in Postgres."),
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(threads=1)


def segment_texts(embedder: OnnxEmbedder, said: list[tuple[str, str]]) -> str:
    turns: list[Turn] = [
        make_turn(text, minute=index, role="assistant" if role == "assistant" else "user", speaker=role)
        for index, (role, text) in enumerate(said)
    ]
    vectors = embedder.embed_documents([turn.text for turn in turns]).vectors
    return spell([placement.episode for placement in segment(turns, vectors).placements])


def test_a_change_of_topic_is_seen(embedder: OnnxEmbedder) -> None:
    assert segment_texts(embedder, [*TOMATOES, *INVOICES]) == "aaaabbbb"


def test_a_topic_that_comes_back_is_joined(embedder: OnnxEmbedder) -> None:
    assert segment_texts(embedder, [*TOMATOES[:2], *INVOICES[:2], *TOMATOES[2:], *INVOICES[2:]]) == "aabbaabb"


def test_answers_go_to_their_questions(embedder: OnnxEmbedder) -> None:
    said = [TOMATOES[0], INVOICES[0], TOMATOES[1], INVOICES[1]]
    assert segment_texts(embedder, said) == "abab"


def test_thanks_belong_to_the_episode_of_their_topic(embedder: OnnxEmbedder) -> None:
    said = [*TOMATOES, ("user", "Great, thanks a lot!"), ("assistant", "You're welcome!"), *INVOICES]
    assert segment_texts(embedder, said) == "aaaaaabbbb"


def test_friends_who_chat_are_not_torn_apart(embedder: OnnxEmbedder) -> None:
    said = [
        ("Ann", "Hey Ben! How was your weekend?"),
        ("Ben", "Hi Ann! We finally took the kids camping by the lake."),
        ("Ann", "That sounds lovely. Did the weather hold?"),
        ("Ben", "Mostly, one thunderstorm on Saturday night. The tent leaked a bit."),
        ("Ann", "Oh no! We bought a new one after the same thing happened in Norway."),
        ("Ben", "Good to know, which one did you get?"),
    ]
    assert segment_texts(embedder, said) == "aaaaaa"
