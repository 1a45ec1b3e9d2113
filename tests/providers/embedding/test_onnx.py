from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from providers.embedding import onnx
from providers.embedding.onnx import OnnxEmbedder
from providers.embedding.protocol import BGE_ENGLISH, BGE_SMALL, MEMORY_EMBEDDER
from providers.errors import ModelFileError, UnknownModel
from tests.providers.sampled import read_metric

TEXTS = ["", "Alice moved to Lisbon.", "Bob likes tea.", "Carol lost her keys.", "x " * 300, "漢字 👩‍👩‍👧 \ud800 \x00"]


def test_a_text_gives_the_same_bits_in_any_company(onnx_embedder: OnnxEmbedder) -> None:
    alone = [onnx_embedder.embed_documents([text]).vectors[0] for text in TEXTS]
    together = onnx_embedder.embed_documents(TEXTS).vectors
    reverse = onnx_embedder.embed_documents(TEXTS[::-1]).vectors[::-1]
    for one, two, three in zip(alone, together, reverse, strict=True):
        assert one.tobytes() == two.tobytes() == three.tobytes()


def test_a_text_gives_the_same_bits_from_many_threads_and_with_one(onnx_embedder: OnnxEmbedder) -> None:
    expected = [vector.tobytes() for vector in onnx_embedder.embed_documents(TEXTS).vectors]
    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda _: onnx_embedder.embed_documents(TEXTS), range(4)))
    batches.append(OnnxEmbedder(threads=1).embed_documents(TEXTS))
    for batch in batches:
        assert [vector.tobytes() for vector in batch.vectors] == expected


def test_vectors_have_length_one_and_the_declared_dimension(onnx_embedder: OnnxEmbedder) -> None:
    for vector in onnx_embedder.embed_documents(TEXTS).vectors:
        assert vector.shape == (onnx_embedder.dimension,) == (384,)
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_question_is_nearer_to_its_answer_than_to_anything_else(onnx_embedder: OnnxEmbedder) -> None:
    documents = onnx_embedder.embed_documents(
        ["Alice works at the harbour office.", "The cake needs four eggs."]
    ).vectors
    query = onnx_embedder.embed_query("Where is Alice employed?").vector
    assert query @ documents[0] > query @ documents[1] + 0.1


def test_a_query_gets_the_models_prefix_and_a_document_does_not(onnx_embedder: OnnxEmbedder) -> None:
    query = onnx_embedder.embed_query("tea").vector
    prefixed, plain = onnx_embedder.embed_documents([BGE_ENGLISH + "tea", "tea"]).vectors
    assert query.tobytes() == prefixed.tobytes() != plain.tobytes()


def test_the_prefix_can_be_set_to_nothing() -> None:
    embedder = OnnxEmbedder(threads=1, query_prefix="")
    assert embedder.embed_query("tea").vector.tobytes() == embedder.embed_documents(["tea"]).vectors[0].tobytes()


def test_text_beyond_512_tokens_changes_nothing(onnx_embedder: OnnxEmbedder) -> None:
    head = "tea " * 510
    one, two, shorter = onnx_embedder.embed_documents([head + "harbour", head + "eggs " * 90_000, "tea " * 509]).vectors
    assert one.tobytes() == two.tobytes() != shorter.tobytes()


def test_usage_counts_the_tokens_read(onnx_embedder: OnnxEmbedder) -> None:
    before = read_metric("memoryplatform_provider_tokens_total", provider="onnx", direction="input")
    usage = onnx_embedder.embed_documents(["tea", "tea tea"]).usage
    assert (usage.input_tokens, usage.calls, usage.estimated) == (3 + 4, 1, False)
    assert read_metric("memoryplatform_provider_tokens_total", provider="onnx", direction="input") == before + 7


def test_no_texts_give_no_vectors(onnx_embedder: OnnxEmbedder) -> None:
    assert onnx_embedder.embed_documents([]).vectors == []


@pytest.mark.parametrize(
    ("field", "name"),
    [("model", "bge-small-en-v1.5.onnx"), ("tokenizer", "tokenizer.json"), ("shared", "memory-embedder-v2.onnx")],
)
def test_a_changed_file_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, field: str, name: str) -> None:
    files = onnx.FILES[BGE_SMALL]
    if field == "shared":
        assert files.shared is not None
        changed = replace(files, shared=replace(files.shared, file=replace(files.shared.file, sha256="0" * 64)))
    else:
        changed = replace(files, **{field: replace(getattr(files, field), sha256="0" * 64)})
    monkeypatch.setitem(onnx.FILES, BGE_SMALL, changed)
    with pytest.raises(ModelFileError, match=name):
        OnnxEmbedder(threads=1, model=BGE_SMALL)


def test_another_model_is_refused() -> None:
    with pytest.raises(UnknownModel, match=r"memory-embedder-v2 and BAAI/bge-small-en-v1\.5, not other"):
        OnnxEmbedder(threads=1, model="other/model")


def test_the_stock_model_can_be_selected(onnx_embedder: OnnxEmbedder) -> None:
    stock = OnnxEmbedder(threads=1, model=BGE_SMALL)
    assert (onnx_embedder.model_id, stock.model_id) == (f"{MEMORY_EMBEDDER}-int8", f"{BGE_SMALL}-int8")
    one, two = onnx_embedder.embed_query("tea").vector, stock.embed_query("tea").vector
    assert 0.9 < one @ two < 0.999
