"""An embedder for tests that need vectors without a meaning."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from providers.embedding.protocol import Embedding, EmbeddingBatch
from providers.embedding.vector import Vector, normalise
from providers.usage import Usage


@dataclass
class HashedEmbedder:
    """Equal texts have equal vectors; different texts are far apart. `seen` lists the embedded texts."""

    model_id: str = "test"
    dimension: int = 384
    seen: list[str] = field(default_factory=list)

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        self.seen += texts
        return EmbeddingBatch([self._embed(text) for text in texts], Usage(calls=1))

    def embed_query(self, text: str) -> Embedding:
        return Embedding(self._embed(text), Usage(calls=1))

    def _embed(self, text: str) -> Vector:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        return normalise(np.random.default_rng(seed).normal(size=self.dimension).astype(np.float32))
