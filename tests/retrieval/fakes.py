"""An embedder with predictable vectors."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from providers.embedding.protocol import Embedding, EmbeddingBatch
from providers.embedding.vector import Vector, normalise
from providers.usage import Usage

DIMENSION = 16
MODEL = "test"


def embed(text: str) -> Vector:
    """Each word has a dimension. Texts that share words are near; the cosine is never negative."""
    values = np.full(DIMENSION, 0.01)
    for word in re.findall(r"[^\s.,?]+", text.lower()):
        values[hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[0] % DIMENSION] += 1
    return normalise(values)


class WordEmbedder:
    model_id = MODEL
    dimension = DIMENSION

    def __init__(self) -> None:
        self.queries: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        return EmbeddingBatch([embed(text) for text in texts], Usage(calls=1))

    def embed_query(self, text: str) -> Embedding:
        self.queries.append(text)
        return Embedding(embed(text), Usage(input_tokens=len(text.split()), calls=1))
