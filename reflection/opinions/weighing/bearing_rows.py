"""What the tables say of new facts and of the opinions that they may bear on. Call inside a tenant transaction."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

import numpy as np
from django.db import connection
from psycopg import Cursor

from banks.models import Bank, MemoryUnit, Mention, UnitSource
from banks.words import Network
from providers.embedding.vector import Vector
from reflection.opinions.evidence import Pair
from reflection.opinions.weighing.assessing import NewFact

T = TypeVar("T")

VECTOR_HEAD = 4  # bytes before the big-endian floats of `vector_send`
TINY = np.finfo(np.float32).tiny

# Evidence is what others said of the world and what the agent did itself: what it told of the world alone, it may
# have from here.
FACTS = """
SELECT unit.id, unit.text, unit.mentioned_at, unit.recorded_at, vector_send(unit.embedding)
FROM banks_memoryunit AS unit
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.id = ANY(%(ids)s)
  AND unit.network IN ('world', 'experience') AND unit.expired_at IS NULL AND unit.embedding IS NOT NULL
  AND (unit.network = 'experience' OR NOT EXISTS (
    SELECT FROM banks_unitsource AS source
    JOIN banks_message AS message ON message.tenant_id = source.tenant_id AND message.id = source.message_id
    WHERE source.tenant_id = unit.tenant_id AND source.unit_id = unit.id
    HAVING bool_and(message.role = 'assistant')
  ))
ORDER BY unit.id
"""
MOVABLE = """
SELECT id, text, confidence, vector_send(embedding) FROM banks_memoryunit
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND network = 'opinion' AND expired_at IS NULL
  AND review <> 'pinned' AND embedding IS NOT NULL
ORDER BY id
"""


@dataclass(frozen=True, eq=False)
class Vectored(Generic[T]):
    """A row with its vector, at length 1."""

    row: T
    vector: Vector


@dataclass(frozen=True)
class HeldText:
    id: UUID
    text: str
    confidence: float


def read_facts(bank: Bank, ids: Collection[UUID]) -> list[Vectored[NewFact]]:
    return [Vectored(NewFact(*row), read_vector(vector)) for *row, vector in fetch(FACTS, bank, ids=list(ids))]


def read_movable(bank: Bank) -> list[Vectored[HeldText]]:
    return [Vectored(HeldText(*row), read_vector(vector)) for *row, vector in fetch(MOVABLE, bank)]


def read_texts(bank: Bank, ids: Collection[UUID]) -> list[HeldText]:
    """Of those that may still be moved."""
    opinions = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.OPINION, id__in=ids)
    movable = opinions.exclude(review=MemoryUnit.Review.PINNED).order_by("id")
    rows = movable.values_list("id", "text", "confidence")
    return [HeldText(unit_id, text, confidence or 0.0) for unit_id, text, confidence in rows]


def read_current(bank: Bank, fact_ids: Collection[UUID]) -> dict[UUID, str]:
    """The texts of those that are there and hold."""
    facts = MemoryUnit.objects.of_bank(bank).current().filter(id__in=fact_ids)
    return dict(facts.values_list("id", "text"))


def fetch(statement: str, bank: Bank, **given: Any) -> list[tuple[Any, ...]]:
    with Cursor(connection.connection) as cursor:  # Django's own can't be asked for bytes as they are
        cursor.execute(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id, **given}, binary=True)
        return cursor.fetchall()


def read_vector(sent: bytes) -> Vector:
    vector = np.frombuffer(sent, dtype=">f4", offset=VECTOR_HEAD).astype(np.float32)
    return vector / max(float(np.linalg.norm(vector)), float(TINY))


def read_mentions(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Units by the entity that they speak of."""
    found: dict[UUID, list[UUID]] = {}
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for entity_id, unit_id in rows.values_list("entity_id", "unit_id"):
        found.setdefault(entity_id, []).append(unit_id)
    return found


def find_told_together(
    bank: Bank, facts: Sequence[Vectored[NewFact]], opinions: Sequence[Vectored[HeldText]]
) -> set[Pair]:
    """What was said in one message with an opinion is what it was formed from."""
    said = read_messages(bank, [one.row.id for one in facts])
    held = read_messages(bank, [one.row.id for one in opinions]) if said else {}
    return {
        (fact, opinion) for message in said.keys() & held.keys() for fact in said[message] for opinion in held[message]
    }


def read_messages(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """Units by the message that they rest on."""
    found: dict[UUID, list[UUID]] = {}
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, message__isnull=False)
    for unit_id, message_id in rows.values_list("unit_id", "message_id"):
        if message_id is not None:
            found.setdefault(message_id, []).append(unit_id)
    return found
