"""Storing facts in a bank through the production code, with made-up vectors."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np

from banks.enums import EntityKind, Network
from banks.facts import PreparedFact
from banks.models import Bank
from banks.retain.storing import store_facts
from banks.types import ExtractedFact, FoundEntity, FoundRelationship, Source
from providers.embedding.vector import Vector
from tenants.transactions import tenant_transaction

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def vector_of(text: str) -> Vector:
    """Equal for equal texts, and far apart for different ones."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    vector: Vector = np.random.default_rng(seed).normal(size=384).astype(np.float32)
    return vector / np.linalg.norm(vector)


def relation(subject: str, name: str, thing: str, **fields: Any) -> FoundRelationship:
    return FoundRelationship(subject, name, thing, f"{subject} {name} {thing}.", **fields)


def store_fact(
    bank: Bank,
    text: str,
    *names: str,
    relations: Sequence[FoundRelationship] = (),
    sources: Sequence[Source] = (),
    tags: Sequence[str] = (),
    **fields: Any,
) -> UUID:
    """Store a fact, and return the id of its unit. `names` are people."""
    people = tuple(FoundEntity(name, EntityKind.PERSON) for name in names)
    usual: dict[str, Any] = {
        "network": Network.WORLD,
        "mentioned_at": NOON,
        "entities": people,
        "relationships": tuple(relations),
    }
    fact = ExtractedFact(text=text, **(usual | fields))
    vectors = tuple(vector_of(one.text) for one in relations)
    prepared = PreparedFact(fact, vector_of(text), tuple(sources), relationship_vectors=vectors, tags=tuple(tags))
    with tenant_transaction(bank.tenant_id):
        (unit,) = store_facts(bank, [prepared], speakers=frozenset())
    return unit.id
