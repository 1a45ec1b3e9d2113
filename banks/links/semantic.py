"""Semantic links (formula 5): the five nearest units of the bank, where the cosine is at least 0.7."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from banks.links.neighbours import find_neighbours
from banks.models import Bank, MemoryUnit
from banks.vector_index.nearness import Neighbour
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
    """Link new units to what they are near to, each other included. Call inside a tenant transaction.

    Returns the number of edges, of which each unit begins at most five.
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
    rows = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids, embedding__isnull=False).order_by("id")
    return {unit_id: np.asarray(vector, np.float32) for unit_id, vector in rows.values_list("id", "embedding")}


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
