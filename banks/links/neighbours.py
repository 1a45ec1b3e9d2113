"""The nearest live units of a bank for a batch of vectors, found with one query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank
from providers.embedding.vector import Vector

FIND = """
SELECT wanted.place, neighbour.id, neighbour.cosine
FROM unnest(%(vectors)s::text[]) WITH ORDINALITY AS wanted (vector, place)
CROSS JOIN LATERAL (
    SELECT unit.id, 1 - (unit.embedding <=> wanted.vector::vector) AS cosine
    FROM banks_memoryunit AS unit
    WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.expired_at IS NULL
    ORDER BY unit.embedding <=> wanted.vector::vector
    LIMIT %(nearest)s
) AS neighbour
WHERE neighbour.cosine >= %(least_cosine)s
ORDER BY wanted.place, neighbour.cosine DESC, neighbour.id
"""


@dataclass(frozen=True)
class Neighbour:
    unit_id: UUID
    cosine: float


def find_neighbours(
    bank: Bank, vectors: Sequence[Vector], *, nearest: int, least_cosine: float
) -> list[list[Neighbour]]:
    """One list for each vector, the nearest first. Call inside a tenant transaction."""
    found: list[list[Neighbour]] = [[] for _ in vectors]
    if not vectors:
        return found
    parameters: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "vectors": ["[" + ",".join(map(repr, vector.tolist())) + "]" for vector in vectors],
        "nearest": nearest,
        "least_cosine": least_cosine,
    }
    with connection.cursor() as cursor:
        cursor.execute(FIND, parameters)
        for place, unit_id, cosine in cursor.fetchall():
            found[place - 1].append(Neighbour(unit_id, min(cosine, 1.0)))
    return found
