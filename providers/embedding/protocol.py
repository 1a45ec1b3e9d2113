from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from providers.embedding.vector import Vector
from providers.usage import Usage


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
    """Texts to vectors of length 1. Thread-safe. Any text is accepted, also the empty one.

    `model_id` is stored beside the vectors: two embedders whose vectors must not be compared differ in it.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch: ...

    def embed_query(self, text: str) -> Embedding: ...
