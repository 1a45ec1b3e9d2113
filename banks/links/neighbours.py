"""The nearest live units of a bank for a batch of vectors, found with one query."""

from collections.abc import Sequence

from banks.models import Bank
from banks.vector_index.lookup import read_state
from banks.vector_index.nearness import Neighbour
from banks.vector_index.scan import scan_units
from banks.vector_index.search import search_index
from providers.embedding.vector import Vector

__all__ = ["Neighbour", "find_neighbours"]


def find_neighbours(
    bank: Bank, vectors: Sequence[Vector], *, nearest: int, least_cosine: float
) -> list[list[Neighbour]]:
    """One list for each vector, the nearest first. Call inside a tenant transaction."""
    if not vectors:
        return []
    find = search_index if read_state(bank.id).is_valid else scan_units
    found = find(bank, vectors, nearest=nearest)
    return [[neighbour for neighbour in near if neighbour.cosine >= least_cosine] for near in found]
