import pytest

from retrieval.analysis import QueryVectors
from tests.retrieval.fakes import WordEmbedder


def test_the_same_query_is_embedded_once() -> None:
    vectors, embedder = QueryVectors(), WordEmbedder()
    first, spent = vectors.embed("green parrot", embedder)
    again, nothing = vectors.embed("green parrot", embedder)
    assert embedder.queries == ["green parrot"]
    assert again is first
    assert (spent.calls, nothing.calls) == (1, 0)


def test_another_model_has_vectors_of_its_own() -> None:
    vectors, embedder = QueryVectors(), WordEmbedder()
    vectors.embed("green parrot", embedder)
    embedder.model_id = "another"
    vectors.embed("green parrot", embedder)
    assert len(embedder.queries) == 2


def test_the_least_recently_used_goes_first() -> None:
    vectors, embedder = QueryVectors(most_vectors=2), WordEmbedder()
    for text in ("one", "two", "one", "three", "one", "two"):
        vectors.embed(text, embedder)
    assert embedder.queries == ["one", "two", "three", "two"]
    assert len(vectors) == 2


def test_a_cached_vector_is_read_only() -> None:
    vector, _ = QueryVectors().embed("green parrot", WordEmbedder())
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


def test_a_lone_surrogate_is_no_obstacle() -> None:
    assert QueryVectors().embed("\ud800", WordEmbedder())[1].calls == 1
