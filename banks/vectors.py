"""Embedding texts outside of transactions, in batches, each text once."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from banks.facts import hash_words, list_embedding_texts
from banks.models import Bank, CachedAnswer, MemoryUnit
from banks.rendering import render_text
from banks.types import ExtractedFact
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.usage import Usage
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction

BATCH = 128  # texts between two reports of progress: some seconds

# Called between the parts of long work, with the stage, the number of finished parts and of all parts. No transaction
# is open then. It raises if the operation was cancelled.
Step = Callable[[str, int, int], None]

KEEP = """
INSERT INTO banks_cachedanswer (id, tenant_id, key, answer, created_at)
SELECT id, %(tenant_id)s, key, answer, now()
FROM unnest(%(id)s::uuid[], %(key)s::bytea[], %(answer)s::bytea[]) AS given (id, key, answer)
ON CONFLICT (tenant_id, key) DO NOTHING
"""


def write_vector(vector: Vector) -> str:
    """The literal that pgvector reads. Nine digits keep a float of 32 bits exact, and are written four times as fast
    as the seventeen digits of Python's repr.
    """
    return f"[{','.join(['%.9g'] * len(vector))}]" % tuple(vector.tolist())


def use_slot(bank: Bank, statement: str) -> str:
    """The statement with `{vector}` as the column of the bank's vectors and `{other}` as the other one.

    A statement that changes a text empties the other column.
    """
    return statement.format(vector=bank.vector_column, other=bank.other_vector_column)


def report_nothing(_stage: str, _done: int, _total: int) -> None:
    """The step of work without a progress report."""


@dataclass(frozen=True, eq=False)
class Embedded:
    """`vectors` are in the order of the texts; `usage` counts the model's work."""

    vectors: list[Vector]
    usage: Usage


def is_long(texts: Sequence[str]) -> bool:
    """Embedding them takes several batches, with a report between each two."""
    return len(texts) > BATCH


def embed_texts(
    tenant_id: UUID,
    embedder: Embedder,
    texts: Sequence[str],
    *,
    step: Step = report_nothing,
    known: Mapping[str, Vector] | None = None,
) -> Embedded:
    """Call outside of transactions. `known` are vectors of texts that were embedded before.

    The batches of a long job are cached for the tenant until the nightly maintenance, so that a retry continues where
    the last attempt ended.
    """
    vectors, usage = dict(known or {}), Usage()
    missing = [text for text in dict.fromkeys(texts) if text not in vectors]
    if is_long(missing):
        vectors |= read_cached(tenant_id, embedder, missing)
        missing = [text for text in missing if text not in vectors]
    for start in range(0, len(missing), BATCH):
        if start:
            step("embedding", start, len(missing))
        part = missing[start : start + BATCH]
        batch = embedder.embed_documents(part)
        fresh = dict(zip(part, batch.vectors, strict=True))
        if is_long(missing):
            write_cached(tenant_id, embedder, fresh)
        vectors |= fresh
        usage += batch.usage
    return Embedded([vectors[text] for text in texts], usage)


def embed_facts(
    bank: Bank, embedder: Embedder, facts: Sequence[ExtractedFact], *, step: Step = report_nothing
) -> Embedded:
    """The vectors of `list_embedding_texts(facts)`. A fact that the bank has word for word is not embedded again."""
    held = find_held(bank, facts)
    return embed_texts(bank.tenant_id, embedder, list_embedding_texts(facts), step=step, known=held)


def find_held(bank: Bank, facts: Sequence[ExtractedFact]) -> dict[str, Vector]:
    """Vectors of stored units by text. The hash ignores case and punctuation, so the texts are compared."""
    wanted = {fact.rendered_text for fact in facts}
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current()
        hashes = {hash_words(fact.rendered_text, fact.occurred_start) for fact in facts}
        same = units.filter(network__in={fact.network for fact in facts}, content_hash__in=hashes)
        rows = list(same.exclude(**{bank.vector_column: None}).values_list("speaker", "text", bank.vector_column))
    held = {render_text(speaker, text): embedding for speaker, text, embedding in rows}
    return {text: np.asarray(embedding, dtype=np.float32) for text, embedding in held.items() if text in wanted}


def build_key(embedder: Embedder, text: str) -> bytes:
    return hashlib.sha256(f"{embedder.model_id}\n{text}".encode("utf-8", "surrogatepass")).digest()


def read_cached(tenant_id: UUID, embedder: Embedder, texts: Sequence[str]) -> dict[str, Vector]:
    keys = {build_key(embedder, text): text for text in texts}
    with tenant_transaction(tenant_id):
        rows = CachedAnswer.objects.for_tenant(tenant_id).filter(key__in=keys).values_list("key", "answer")
        return {keys[bytes(key)]: np.frombuffer(bytes(answer), dtype=np.float32) for key, answer in rows}


def write_cached(tenant_id: UUID, embedder: Embedder, vectors: Mapping[str, Vector]) -> None:
    columns: dict[str, Any] = {
        "id": [uuid7() for _ in vectors],
        "key": [build_key(embedder, text) for text in vectors],
        "answer": [vector.astype(np.float32).tobytes() for vector in vectors.values()],
    }
    with tenant_transaction(tenant_id), connection.cursor() as cursor:
        cursor.execute(KEEP, {"tenant_id": tenant_id, **columns})
