"""An embedder for recorded scenarios: texts with rare words in common are near, and every machine gives the same."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from banks.text_index.stop_words import STOP_WORDS
from providers.embedding.protocol import Embedding, EmbeddingBatch
from providers.embedding.vector import Vector, normalise
from providers.usage import Usage

DIMENSION = 384
STEM = 5  # letters: "teach" of "teaches" and "teaching"
WORD = re.compile(r"\w+")


class LexicalEmbedder:
    model_id = "lexical"
    dimension = DIMENSION

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        return EmbeddingBatch([embed(text) for text in texts], Usage(calls=1))

    def embed_query(self, text: str) -> Embedding:
        return Embedding(embed(text), Usage(calls=1))


def embed(text: str) -> Vector:
    vector = np.full(DIMENSION, 1e-3, dtype=np.float32)  # a text without words has a direction too
    for stem in {word[:STEM] for word in WORD.findall(text.casefold()) if word not in STOP_WORDS}:
        place = int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=4).digest()) % DIMENSION
        vector[place] += 1.0
    return normalise(vector)
