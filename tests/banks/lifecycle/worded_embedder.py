"""An embedder for tests in which texts with many common words must have similar vectors."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from providers.embedding.protocol import Embedding, EmbeddingBatch
from providers.embedding.vector import Vector, normalise
from providers.usage import Usage

COMMON = np.float32(2.0)


class WordedEmbedder:
    """Sums a random vector per word and a common vector. Texts with many common words have a cosine near 1."""

    model_id = "test"
    dimension = 384

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        return EmbeddingBatch([embed(text) for text in texts], Usage())

    def embed_query(self, text: str) -> Embedding:
        return Embedding(embed(text), Usage())


def embed(text: str) -> Vector:
    words = re.findall(r"\w+", text.casefold()) or [""]
    told = normalise(np.sum([embed_word(word) for word in words], axis=0).astype(np.float32))
    return normalise(told + COMMON * normalise(embed_word("")))


def embed_word(word: str) -> Vector:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    vector: Vector = np.random.default_rng(seed).normal(size=384).astype(np.float32)
    return vector
