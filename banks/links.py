"""Stored links between units: causal, and semantic (formula 5).

Neighbours by entity and by time are derived at query time.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from banks.models import Bank, Link, MemoryUnit
from banks.types import Cause
from banks.vector_index.nearest import Neighbour, find_neighbours
from providers.embedding.vector import Vector
from tenants.identifiers import uuid7

NEAREST = 5
LEAST_COSINE = 0.7

INSERT = """
INSERT INTO banks_link (id, tenant_id, source_id, target_id, type, weight)
SELECT id, %(tenant_id)s, source_id, target_id, 'semantic', weight
FROM unnest(%(id)s::uuid[], %(source_id)s::uuid[], %(target_id)s::uuid[], %(weight)s::float8[])
    AS link (id, source_id, target_id, weight)
ON CONFLICT (source_id, target_id, type) DO NOTHING
"""


def link_by_meaning(bank: Bank, unit_ids: Sequence[UUID]) -> int:
    """Link new units to their five nearest units with a cosine of at least 0.7, each other included.

    Returns the number of links. Call inside a tenant transaction.
    """
    vectors = read_vectors(bank, unit_ids)
    found = find_neighbours(bank, list(vectors.values()), nearest=NEAREST + 1, least_cosine=LEAST_COSINE)
    edges = [
        (source, neighbour)
        for source, near in zip(vectors, found, strict=True)
        for neighbour in [one for one in near if one.unit_id != source][:NEAREST]
    ]
    if edges:
        insert(bank, edges)
    return len(edges)


def read_vectors(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, Vector]:
    column = bank.vector_column
    rows = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids).exclude(**{column: None})
    return {
        unit_id: np.asarray(vector, np.float32) for unit_id, vector in rows.order_by("id").values_list("id", column)
    }


def insert(bank: Bank, edges: Sequence[tuple[UUID, Neighbour]]) -> None:
    columns: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "id": [uuid7() for _ in edges],
        "source_id": [source for source, _ in edges],
        "target_id": [neighbour.unit_id for _, neighbour in edges],
        "weight": [max(neighbour.cosine, 0.0) for _, neighbour in edges],
    }
    with connection.cursor() as cursor:
        cursor.execute(INSERT, columns)


def link_by_cause(bank: Bank, edges: Iterable[tuple[UUID, UUID, Cause]]) -> None:
    """Store the edges (unit, other unit, cause) that are new. Call inside a tenant transaction."""
    weights = {
        (source, target, cause.type): cause.strength
        for source, target, cause in edges
        if source != target  # two facts may turn out to be one unit
    }
    links = [
        Link(source_id=source, target_id=target, type=cause_type.value, weight=strength)
        for (source, target, cause_type), strength in weights.items()
    ]
    Link.objects.for_tenant(bank.tenant_id).bulk_create(links, ignore_conflicts=True)
