import numpy as np

from banks.embedding_texts import (
    build_chunk_text,
    build_entity_text,
    build_episode_text,
    embed_rows,
    list_line_texts,
)
from tests.hashed_embedder import HashedEmbedder


def test_each_kind_of_row_has_its_text() -> None:
    assert build_chunk_text("a", heading="# May", context="A call.") == "A call.\n# May\na"
    assert build_chunk_text("a", heading="# May") == "# May\na"
    assert (build_episode_text("They met.", thread="t"), build_episode_text("", thread="t")) == ("They met.", "t")
    assert (build_entity_text("Ana", "Ana runs."), build_entity_text("Ana", "")) == ("Ana: Ana runs.", "Ana")


def test_a_chunk_of_a_conversation_has_its_lines_whatever_line_breaks_they_hold() -> None:
    text = "Ana: One.\nTwo.\nBob: Three."
    assert list_line_texts(text, [14, 26]) == ("Ana: One.\nTwo.", "Bob: Three.")
    assert list_line_texts(text, [14, 26], context="A call.") == ("A call.", "Ana: One.\nTwo.", "Bob: Three.")


def test_a_row_with_one_text_has_its_vector_and_one_with_more_their_mean() -> None:
    embedder = HashedEmbedder()
    one, two, longer = "Ana: One.", "Bob: Two.", "Bob: Two." * 20
    single, equal, uneven = embed_rows(embedder, [(one,), (one, two), (one, longer)]).vectors
    first, second, third = embedder.embed_documents([one, two, longer]).vectors

    assert np.array_equal(single, first)
    assert np.allclose(equal, (first + second) / np.linalg.norm(first + second), atol=1e-6)
    assert np.isclose(np.linalg.norm(uneven), 1.0, atol=1e-6)
    assert uneven @ third > 0.99
