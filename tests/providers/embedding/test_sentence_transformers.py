import sys

import numpy as np
import pytest

from providers.embedding.protocol import BGE_ENGLISH
from providers.embedding.sentence_transformers import SentenceTransformersEmbedder
from providers.errors import MissingExtra, UnknownModel
from tests.providers.fake_sentence_transformers import build_module


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", build_module())


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'memoryplatform\[sentence-transformers\]'"):
        SentenceTransformersEmbedder(model="any/model")


@pytest.mark.usefixtures("library")
def test_a_model_that_can_not_be_loaded_is_named() -> None:
    with pytest.raises(UnknownModel, match="no/such-model"):
        SentenceTransformersEmbedder(model="no/such-model")


@pytest.mark.usefixtures("library")
def test_vectors_come_in_order_and_have_length_one() -> None:
    embedder = SentenceTransformersEmbedder(model="any/model")
    batch = embedder.embed_documents(["a", "bbbbbb"])
    assert [vector.shape for vector in batch.vectors] == [(embedder.dimension,)] * 2 == [(3,)] * 2
    assert [np.linalg.norm(vector) for vector in batch.vectors] == pytest.approx([1, 1])
    assert batch.vectors[0][0] < batch.vectors[1][0]
    assert batch.usage.estimated
    assert batch.usage.input_tokens > 0
    assert embedder.embed_documents([]).vectors == []


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("model", "prefix", "encoded"),
    [
        ("any/model", None, "tea"),
        ("any/model", "mine: ", "mine: tea"),
        ("with/prompts", None, "own: tea"),
        ("with/prompts", "mine: ", "mine: tea"),
        ("with/prompts", "", "tea"),
        ("BAAI/bge-small-en-v1.5", None, f"{BGE_ENGLISH}tea"),
    ],
)
def test_the_query_prefix_is_the_setting_or_the_models_own(model: str, prefix: str | None, encoded: str) -> None:
    embedder = SentenceTransformersEmbedder(model=model, query_prefix=prefix)
    embedder.embed_query("tea")
    assert embedder._model.encoded[-1] == encoded
    embedder.embed_documents(["tea"])
    assert embedder._model.encoded[-1] == "tea"
