import hashlib
from collections import OrderedDict
from threading import Lock

import numpy as np

from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage

# Where there is none: the embedder failed, or the bank's vectors are of another model.
NO_VECTOR: Vector = np.zeros(0, dtype=np.float32)
DIGEST_BYTES = 16
MOST_VECTORS = 2_000  # 1.5 kB each at 384 dimensions: 3 MB


class QueryVectors:
    """Vectors of queries that were embedded before, under hashes: no query is kept. Thread-safe.

    The least recently used go first.
    """

    def __init__(self, *, most_vectors: int = MOST_VECTORS) -> None:
        self._most_vectors = most_vectors
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def clear(self) -> None:
        with self._lock:
            self._vectors.clear()

    def embed(self, text: str, embedder: Embedder) -> tuple[Vector, Usage]:
        """Two who ask the same at once both embed it: waiting for each other would take as long."""
        key = build_key(embedder.model_id, text)
        with self._lock:
            known = self._vectors.get(key)
            if known is not None:
                self._vectors.move_to_end(key)
                return known, Usage()
        embedding = embedder.embed_query(text)
        embedding.vector.setflags(write=False)
        with self._lock:
            self._vectors[key] = embedding.vector
            if len(self._vectors) > self._most_vectors:
                self._vectors.popitem(last=False)
        return embedding.vector, embedding.usage


def build_key(model_id: str, text: str) -> bytes:
    content = f"{model_id}\n{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


QUERY_VECTORS = QueryVectors()
