"""How a bank's index is called and what it holds. The search must say the same, or the planner does not know it."""

from uuid import UUID

from psycopg import sql

PREFIX = "unit_vectors_"
LARGEST_DIMENSION = 4_000  # of what pgvector can index as half floats

# Half floats order as well as whole ones do, at half the size. Superseded units are in it too: the past is searched.
CREATE = sql.SQL("""
CREATE INDEX CONCURRENTLY {name} ON banks_memoryunit
USING hnsw (({vector}) halfvec_cosine_ops) WHERE bank_id = {bank_id}
""")


def name_index(bank_pk: UUID) -> str:
    return f"{PREFIX}{bank_pk.hex}"


def build_create(bank_pk: UUID, dimension: int) -> sql.Composed:
    return CREATE.format(
        name=sql.Identifier(name_index(bank_pk)),
        vector=cast_vector(sql.Identifier("embedding"), dimension),
        bank_id=sql.Literal(bank_pk),
    )


def cast_vector(vector: sql.Composable, dimension: int) -> sql.Composed:
    """The column has no dimension of its own, and an index needs one."""
    return sql.SQL("{vector}::halfvec({dimension})").format(vector=vector, dimension=sql.Literal(dimension))
