"""The nearest current units of a bank for a batch of vectors: through the bank's index, or with a scan.

A scan reads all vectors once as bytes and compares them with the whole batch in one matrix product. A scan in Postgres
would read every row once for each vector of the batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import connection
from psycopg import Cursor, sql

from banks.models import Bank
from banks.vector_index.index import VectorIndex, cast_vector, read_state
from banks.vectors import use_slot, write_vector
from providers.embedding.vector import Vector

# The number of candidates that the index visits. It orders them by half floats; the cosines come from whole floats.
CANDIDATES = 80
DIGITS = 5  # of a cosine: processors round sums differently, and equally near units keep the order of their ids
# The walk skips superseded units and continues until it has found enough current ones.
TUNE = "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)"
FIND = sql.SQL("""
SELECT wanted.place - 1, neighbour.id, 1 - (neighbour.vector <=> wanted.vector) AS cosine
FROM unnest(%s::vector[]) WITH ORDINALITY AS wanted (vector, place)
CROSS JOIN LATERAL (
    SELECT unit.id, unit.{vector} AS vector
    FROM banks_memoryunit AS unit
    WHERE unit.tenant_id = {tenant_id} AND unit.bank_id = {bank_id} AND unit.expired_at IS NULL
    ORDER BY {stored} <=> {wanted}
    LIMIT %s
) AS neighbour
WHERE neighbour.vector IS NOT NULL
ORDER BY wanted.place, cosine DESC, neighbour.id
""")


# `vector_send`: dimension and a spare field, 16 bits each, then big-endian floats.
HEAD = [("dimension", ">i2"), ("spare", ">i2")]
READ_VECTORS = """
SELECT string_agg(uuid_send(id), ''::bytea), string_agg(vector_send({vector}), ''::bytea)
FROM (
    SELECT id, {vector} FROM banks_memoryunit
    WHERE tenant_id = %s AND bank_id = %s AND expired_at IS NULL AND vector_dims({vector}) = %s
    OFFSET 0
) AS unit
"""


@dataclass(frozen=True)
class Neighbour:
    unit_id: UUID
    cosine: float


def find_neighbours(
    bank: Bank, vectors: Sequence[Vector], *, nearest: int, least_cosine: float
) -> list[list[Neighbour]]:
    """One list for each vector, the nearest first. Call inside a tenant transaction."""
    if not vectors:
        return []
    find = search_index if read_state(VectorIndex(bank.id, bank.vector_slot)).is_valid else scan_units
    found = find(bank, vectors, nearest=nearest)
    return [[neighbour for neighbour in near if neighbour.cosine >= least_cosine] for near in found]


def search_index(bank: Bank, vectors: Sequence[Vector], *, nearest: int) -> list[list[Neighbour]]:
    """One list for each vector, the nearest first. Call inside a tenant transaction."""
    found: list[list[Neighbour]] = [[] for _ in vectors]
    with connection.cursor() as cursor:
        cursor.execute(TUNE, [str(max(CANDIDATES, nearest))])
        cursor.execute(build_search(bank, len(vectors[0])), [[write_vector(vector) for vector in vectors], nearest])
        for place, unit_id, cosine in cursor.fetchall():
            found[place].append(Neighbour(unit_id, min(cosine, 1.0)))
    return found


def build_search(bank: Bank, dimension: int) -> sql.Composed:
    """The bank's id and the cast must equal those of the index, or the planner does not use it."""
    return FIND.format(
        tenant_id=sql.Literal(bank.tenant_id),
        bank_id=sql.Literal(bank.id),
        vector=sql.Identifier(bank.vector_column),
        stored=cast_vector(sql.Identifier("unit", bank.vector_column), dimension),
        wanted=cast_vector(sql.SQL("wanted.vector"), dimension),
    )


@dataclass(frozen=True, eq=False)
class StoredVectors:
    """Row n of the matrix is the vector of the unit at place n, with length 1."""

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
    with Cursor(connection.connection) as cursor:  # Django's own cursor can't return raw bytes
        cursor.execute(use_slot(bank, READ_VECTORS), [bank.tenant_id, bank.id, dimension], binary=True)
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
    rounded = np.minimum(np.round(cosines[places].astype(np.float64), DIGITS), 1.0)
    found = [Neighbour(stored.id_at(place), cosine) for place, cosine in zip(places, rounded.tolist(), strict=True)]
    return sorted(found, key=lambda one: (-one.cosine, one.unit_id))
