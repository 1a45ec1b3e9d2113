from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from providers.embedding.vector import Vector
from providers.usage import Usage

MEMORY_EMBEDDER = "memory-embedder-v2"  # bge-small-en-v1.5, trained for memories and cut to six layers
BGE_SMALL = "BAAI/bge-small-en-v1.5"
ONNX_MODEL_IDS = {  # the vectors of the unquantised models differ
    MEMORY_EMBEDDER: f"{MEMORY_EMBEDDER}-int8",
    BGE_SMALL: f"{BGE_SMALL}-int8",
}

# The text that these models want before a query. Their own files do not say so.
BGE_ENGLISH = "Represent this sentence for searching relevant passages: "
QUERY_PREFIXES = {
    MEMORY_EMBEDDER: BGE_ENGLISH,
    BGE_SMALL: BGE_ENGLISH,
    "BAAI/bge-base-en-v1.5": BGE_ENGLISH,
    "BAAI/bge-large-en-v1.5": BGE_ENGLISH,
}


@dataclass(frozen=True, eq=False)
class Embedding:
    vector: Vector
    usage: Usage


@dataclass(frozen=True, eq=False)
class EmbeddingBatch:
    """`vectors` are in the order of the texts."""

    vectors: list[Vector]
    usage: Usage


class Embedder(Protocol):
    """Turns any text, also the empty one, into a vector of length 1. Thread-safe.

    `model_id` is stored beside the vectors. Two embedders with incomparable vectors differ in it.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch: ...

    def embed_query(self, text: str) -> Embedding: ...


def find_query_prefix(model: str) -> str | None:
    return QUERY_PREFIXES.get(model)
