"""Any number of facts and vectors made from some real ones, to fill a bank without days of embedding."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from banks.types import ExtractedFact
from providers.embedding.protocol import Embedder, Embedding, EmbeddingBatch
from providers.embedding.vector import Vector, normalise
from providers.usage import Usage

SEED = 20_260_101


@dataclass(frozen=True, eq=False)
class RecombiningEmbedder:
    """Holds the vectors of single texts. The vector of two joined texts lies between theirs."""

    model: Embedder
    known: dict[str, Vector] = field(default_factory=dict)
    joined: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def model_id(self) -> str:
        return self.model.model_id

    @property
    def dimension(self) -> int:
        return self.model.dimension

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        return EmbeddingBatch([self._find(text) for text in texts], Usage())

    def embed_query(self, text: str) -> Embedding:
        return Embedding(self._find(text), Usage())

    def _find(self, text: str) -> Vector:
        first, second = self.joined[text]
        return normalise(np.asarray(self.known[first] + self.known[second], dtype=np.float32))


def recombine(facts: Sequence[ExtractedFact], embedder: RecombiningEmbedder) -> Iterator[ExtractedFact]:
    """Yield joined pairs of facts without end, no pair twice."""
    rng = random.Random(SEED)  # noqa: S311  # repeatable, no secret
    seen: set[tuple[int, int]] = set()
    while True:
        first, second = rng.sample(range(len(facts)), 2)
        if (first, second) in seen:
            continue
        seen.add((first, second))
        one, other = facts[first], facts[second]
        text = f"{one.text} {other.text}"
        embedder.joined[text] = (one.text, other.text)
        yield replace(one, text=text, entities=tuple(dict.fromkeys([*one.entities, *other.entities])))
