"""The nearest units of a bank without an index: all its live vectors are read once and compared with the whole batch.

A scan in Postgres for each vector of the batch would read every row as often. As bytes a vector is read at memory's
speed, and the comparison is one product of two matrices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import connection
from psycopg import Cursor

from banks.models import Bank
from banks.vector_index.nearness import Neighbour
from providers.embedding.vector import Vector

# `vector_send`: dimension and a spare field, 16 bits each, then big-endian floats.
HEAD = [("dimension", ">i2"), ("spare", ">i2")]
READ = """
SELECT string_agg(uuid_send(id), ''::bytea), string_agg(vector_send(embedding), ''::bytea)
FROM (
    SELECT id, embedding FROM banks_memoryunit
    WHERE tenant_id = %s AND bank_id = %s AND expired_at IS NULL AND vector_dims(embedding) = %s
    OFFSET 0
) AS unit
"""


@dataclass(frozen=True, eq=False)
class StoredVectors:
    """Row n of the matrix is the vector of the unit at place n, at length 1."""

    ids: bytes
    matrix: npt.NDArray[np.float32]

    def id_at(self, place: int) -> UUID:
        return UUID(bytes=self.ids[16 * place : 16 * place + 16])


def scan_units(bank: Bank, vectors: Sequence[Vector], *, nearest: int) -> list[list[Neighbour]]:
    """One list for each vector, the nearest first. Call inside a tenant transaction."""
    stored = read_vectors(bank, dimension=len(vectors[0]))
    if not len(stored.matrix):
        return [[] for _ in vectors]
    cosines = normalise(np.stack(vectors)) @ stored.matrix.T
    return [pick_nearest(row, stored, nearest) for row in cosines]


def read_vectors(bank: Bank, *, dimension: int) -> StoredVectors:
    with Cursor(connection.connection) as cursor:  # Django's own can't be asked for bytes as they are
        cursor.execute(READ, [bank.tenant_id, bank.id, dimension], binary=True)
        (ids, vectors), *_ = cursor.fetchall()
    layout = np.dtype([*HEAD, ("values", ">f4", (dimension,))])
    rows = np.frombuffer(vectors or b"", dtype=layout)
    return StoredVectors(bytes(ids or b""), normalise(rows["values"].astype(np.float32)))


def normalise(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: npt.NDArray[np.float32] = matrix / np.maximum(lengths, np.finfo(np.float32).tiny)
    return scaled


def pick_nearest(cosines: npt.NDArray[np.float32], stored: StoredVectors, nearest: int) -> list[Neighbour]:
    count = min(nearest, len(cosines))
    places = np.argpartition(-cosines, count - 1)[:count]
    found = [Neighbour(stored.id_at(place), min(float(cosines[place]), 1.0)) for place in places.tolist()]
    return sorted(found, key=lambda one: (-one.cosine, one.unit_id))
