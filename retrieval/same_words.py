"""A fact that was told under several tags is as many memories. One telling is enough at first."""

from collections.abc import Sequence

from retrieval.types import Ranked

Told = dict[tuple[str, object, str], tuple[str, ...]]


def put_told_last(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The order, but what has the words of a better one under other tags comes after all others.

    Under the same tags the same words are two events, or they would be one memory.
    """
    first: list[Ranked] = []
    repeats: list[Ranked] = []
    told: Told = {}
    for one in ranked:
        candidate = one.candidate
        tags = told.setdefault((one.bank_id, candidate.network, candidate.text), candidate.tags)
        (first if tags == candidate.tags else repeats).append(one)
    return [*first, *repeats]
