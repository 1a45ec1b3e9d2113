"""Vectors by content: what was embedded once for a tenant is not embedded again.

A vector waits in the cache until it stands in a row of its own. Those of facts are forgotten with the commit that
stores them, for they can be had from their units.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from banks.embedding_texts import build_unit_text
from banks.models import Bank, CachedAnswer, MemoryUnit
from banks.retain.prepared import build_embedding_text, hash_telling, list_texts
from banks.retain.steps import Step, unnoticed
from banks.retain.types import ExtractedFact
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction

BATCH = 128  # texts between two signs of life: some seconds
TOLD = ("text", "network", "occurred_start", "occurred_end")

KEEP = """
INSERT INTO banks_cachedanswer (id, tenant_id, key, answer, created_at)
SELECT id, %(tenant_id)s, key, answer, now()
FROM unnest(%(id)s::uuid[], %(key)s::bytea[], %(answer)s::bytea[]) AS given (id, key, answer)
ON CONFLICT (tenant_id, key) DO NOTHING
"""


@dataclass(frozen=True, eq=False)
class Embedded:
    """`vectors` are in the order of the texts; `usage` counts what the model really did."""

    vectors: list[Vector]
    usage: Usage


def embed_texts(tenant_id: UUID, embedder: Embedder, texts: Sequence[str], *, step: Step = unnoticed) -> Embedded:
    """Call outside of transactions: the model may take its time. What an attempt embedded, the next one has."""
    keys = [key_of(embedder.model_id, text) for text in texts]
    vectors, usage = read_cached(tenant_id, keys), Usage()
    missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}.items())
    for start in range(0, len(missing), BATCH):
        if start:
            step("embedding", start, len(missing))
        part = missing[start : start + BATCH]
        batch = embedder.embed_documents([text for _, text in part])
        fresh = {key: vector for (key, _), vector in zip(part, batch.vectors, strict=True)}
        write_cached(tenant_id, fresh)
        vectors |= fresh
        usage += batch.usage
    return Embedded([vectors[key] for key in keys], usage)


def embed_facts(bank: Bank, embedder: Embedder, facts: Sequence[ExtractedFact], *, step: Step = unnoticed) -> Embedded:
    """The vectors of `list_texts(facts)`. A fact that the bank holds word for word lends its own."""
    held = find_held(bank, facts) if bank.embedding_model == embedder.model_id else {}
    texts = list_texts(facts)
    missing = [text for text in texts if text not in held]
    embedded = embed_texts(bank.tenant_id, embedder, missing, step=step)
    vectors = held | dict(zip(missing, embedded.vectors, strict=True))
    return Embedded([vectors[text] for text in texts], embedded.usage)


def find_held(bank: Bank, facts: Sequence[ExtractedFact]) -> dict[str, Vector]:
    """By embedding text. The hash leaves out case and punctuation, which the vector does not."""
    wanted = {build_embedding_text(fact) for fact in facts}
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current()
        hashes = {hash_telling(fact.text, fact.occurred_start, fact.mentioned_at) for fact in facts}
        same = units.filter(network__in={fact.network for fact in facts}, content_hash__in=hashes)
        rows = list(same.exclude(embedding=None).values_list(*TOLD, "embedding"))
    told = {
        build_unit_text(text, network, occurred_start=start, occurred_end=end): embedding
        for text, network, start, end, embedding in rows
    }
    return {text: np.asarray(embedding, dtype=np.float32) for text, embedding in told.items() if text in wanted}


def forget_vectors(tenant_id: UUID, embedder: Embedder, facts: Sequence[ExtractedFact]) -> None:
    """Call inside the tenant transaction that stores the facts: from then on nothing embeds them again."""
    keys = {key_of(embedder.model_id, build_embedding_text(fact)) for fact in facts}
    CachedAnswer.objects.for_tenant(tenant_id).filter(key__in=keys).delete()


def key_of(model_id: str, text: str) -> bytes:
    return hashlib.sha256(f"{model_id}\n{text}".encode("utf-8", "surrogatepass")).digest()


def read_cached(tenant_id: UUID, keys: Sequence[bytes]) -> dict[bytes, Vector]:
    if not keys:
        return {}
    with tenant_transaction(tenant_id):
        rows = CachedAnswer.objects.for_tenant(tenant_id).filter(key__in=set(keys)).values_list("key", "answer")
        return {bytes(key): np.frombuffer(bytes(answer), dtype=np.float32) for key, answer in rows}


def write_cached(tenant_id: UUID, vectors: dict[bytes, Vector]) -> None:
    if not vectors:
        return
    columns: dict[str, Any] = {
        "id": [uuid7() for _ in vectors],
        "key": list(vectors),
        "answer": [vector.astype(np.float32).tobytes() for vector in vectors.values()],
    }
    with tenant_transaction(tenant_id), connection.cursor() as cursor:
        cursor.execute(KEEP, {"tenant_id": tenant_id, **columns})
