"""Semantic links (formula 5): the five nearest units of the bank, where the cosine is at least 0.7."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank, Link

NEAREST = 5
LEAST_COSINE = 0.7

# One query for a batch. The order by distance walks the bank's units once for each new one.
FIND_NEIGHBOURS = """
SELECT unit.id, neighbour.id, neighbour.cosine
FROM banks_memoryunit AS unit
CROSS JOIN LATERAL (
    SELECT other.id, 1 - (other.embedding <=> unit.embedding) AS cosine
    FROM banks_memoryunit AS other
    WHERE other.tenant_id = %(tenant_id)s AND other.bank_id = %(bank_id)s
      AND other.expired_at IS NULL AND other.id <> unit.id
    ORDER BY other.embedding <=> unit.embedding
    LIMIT %(nearest)s
) AS neighbour
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = ANY(%(ids)s) AND neighbour.cosine >= %(least)s
"""


def link_by_meaning(bank: Bank, unit_ids: Sequence[UUID]) -> int:
    """Link new units to what they are near to. Call inside a tenant transaction; returns the number of edges."""
    parameters: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "ids": list(unit_ids),
        "nearest": NEAREST,
        "least": LEAST_COSINE,
    }
    with connection.cursor() as cursor:
        cursor.execute(FIND_NEIGHBOURS, parameters)
        found = cursor.fetchall()
    rows = [
        Link(source_id=source, target_id=target, type=Link.Type.SEMANTIC, weight=min(cosine, 1.0))
        for source, target, cosine in found
    ]
    Link.objects.for_tenant(bank.tenant_id).bulk_create(rows, ignore_conflicts=True)
    return len(rows)
