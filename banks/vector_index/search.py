"""The nearest units through a bank's index. Without one the same statement is an exact scan."""

from collections.abc import Sequence

from django.db import connection
from psycopg import sql

from banks.models import Bank
from banks.vector_index.definition import cast_vector
from banks.vector_index.literal import write_vector
from banks.vector_index.nearness import Neighbour
from providers.embedding.vector import Vector

# The index walks until it has seen as many candidates; found by half floats, they are measured by whole ones.
CANDIDATES = 80
# Superseded units are passed over: the walk goes on until enough live ones are found.
TUNE = "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)"
FIND = sql.SQL("""
SELECT wanted.place - 1, neighbour.id, 1 - (neighbour.embedding <=> wanted.vector) AS cosine
FROM unnest(%s::vector[]) WITH ORDINALITY AS wanted (vector, place)
CROSS JOIN LATERAL (
    SELECT unit.id, unit.embedding
    FROM banks_memoryunit AS unit
    WHERE unit.tenant_id = {tenant_id} AND unit.bank_id = {bank_id} AND unit.expired_at IS NULL
    ORDER BY {stored} <=> {wanted}
    LIMIT %s
) AS neighbour
WHERE neighbour.embedding IS NOT NULL
ORDER BY wanted.place, cosine DESC, neighbour.id
""")


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
    """The bank's id and the cast stand in it as they stand in the index, or the planner would not match the two."""
    return FIND.format(
        tenant_id=sql.Literal(bank.tenant_id),
        bank_id=sql.Literal(bank.id),
        stored=cast_vector(sql.SQL("unit.embedding"), dimension),
        wanted=cast_vector(sql.SQL("wanted.vector"), dimension),
    )
