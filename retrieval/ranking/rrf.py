"""Reciprocal rank fusion (formula 15) of plain orders; `fusion` has that of the channels, with weights."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

from retrieval.recipes import RRF_K

Found = TypeVar("Found", bound=Hashable)


def add_up_places(orders: Iterable[Iterable[Found]]) -> dict[Found, float]:
    """The sum of 1 / (k + rank) over the orders, each best first, rank from 1."""
    sums: dict[Found, float] = {}
    for order in orders:
        for rank, found in enumerate(order, 1):
            sums[found] = sums.get(found, 0.0) + 1 / (RRF_K + rank)
    return sums
