import pytest

from providers.embedding.onnx import OnnxEmbedder
from providers.reranking.onnx import OnnxReranker
from tests.llm_server.fixture import llm_server

__all__ = ["llm_server"]


@pytest.fixture(scope="session")
def onnx_embedder() -> OnnxEmbedder:
    return OnnxEmbedder(threads=2)


@pytest.fixture(scope="session")
def onnx_reranker() -> OnnxReranker:
    return OnnxReranker(threads=2)
