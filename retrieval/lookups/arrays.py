"""Long arrays as text that Postgres reads: psycopg would look at each of their elements by itself."""

from collections.abc import Iterable
from uuid import UUID


def write_ids(ids: Iterable[UUID]) -> str:
    """For $n::uuid[]."""
    return f"{{{','.join([f'{one.int:032x}' for one in ids])}}}"


def write_numbers(numbers: Iterable[int]) -> str:
    """For $n::int[]."""
    return f"{{{','.join(map(str, numbers))}}}"
