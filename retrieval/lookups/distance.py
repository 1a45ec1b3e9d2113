"""Cosine distance to the query's vector, as SQL."""

from psycopg import sql

from banks.vector_index.literal import write_vector
from providers.embedding.vector import Vector


def build_distance(row: sql.Identifier, vector: Vector) -> sql.Composable:
    """Null where there is no vector to compare with."""
    if not vector.size:
        return sql.SQL("NULL::float8")
    return measure_distance(row, quote_vector(vector))


def measure_distance(row: sql.Identifier, quoted: sql.Composable) -> sql.Composable:
    return sql.SQL("({row}.embedding <=> {vector})").format(row=row, vector=quoted)


def quote_vector(vector: Vector) -> sql.Composable:
    """Digits, commas and brackets need no escaping, and there are four thousand of them."""
    return sql.SQL(f"'{write_vector(vector)}'::vector")
