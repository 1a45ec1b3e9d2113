"""Vectors by content: what was embedded once for a tenant is not embedded again."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from banks.models import CachedAnswer
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from tenants.transactions import tenant_transaction


@dataclass(frozen=True, eq=False)
class Embedded:
    """`vectors` are in the order of the texts; `usage` counts what the model really did."""

    vectors: list[Vector]
    usage: Usage


def embed_texts(tenant_id: UUID, embedder: Embedder, texts: Sequence[str]) -> Embedded:
    """Call outside of transactions: the model may take its time."""
    keys = [key_of(embedder.model_id, text) for text in texts]
    known = read_cached(tenant_id, keys)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    batch = embedder.embed_documents(list(missing.values()))
    fresh = dict(zip(missing, batch.vectors, strict=True))
    write_cached(tenant_id, fresh)
    vectors = known | fresh
    return Embedded([vectors[key] for key in keys], batch.usage)


def key_of(model_id: str, text: str) -> bytes:
    return hashlib.sha256(f"{model_id}\n{text}".encode("utf-8", "surrogatepass")).digest()


def read_cached(tenant_id: UUID, keys: Sequence[bytes]) -> dict[bytes, Vector]:
    with tenant_transaction(tenant_id):
        rows = CachedAnswer.objects.for_tenant(tenant_id).filter(key__in=set(keys)).values_list("key", "answer")
        return {bytes(key): np.frombuffer(bytes(answer), dtype=np.float32) for key, answer in rows}


def write_cached(tenant_id: UUID, vectors: dict[bytes, Vector]) -> None:
    rows = [CachedAnswer(key=key, answer=vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
    with tenant_transaction(tenant_id):
        CachedAnswer.objects.for_tenant(tenant_id).bulk_create(rows, ignore_conflicts=True)
