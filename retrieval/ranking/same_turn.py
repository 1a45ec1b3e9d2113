"""One passage of a turn is enough at first: another of the same turn rarely tells what the best one does not."""

from collections.abc import Sequence
from uuid import UUID

from retrieval.types import Ranked


def put_repeats_last(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The order, but what quotes only turns that better ones of its network quoted comes after all others."""
    first: list[Ranked] = []
    repeats: list[Ranked] = []
    seen: set[tuple[object, UUID]] = set()
    for one in ranked:
        quoted = {
            (one.candidate.network, source.message_id)
            for source in one.candidate.sources
            if source.message_id is not None
        }
        if quoted and quoted <= seen:
            repeats.append(one.with_scores(one.scores._replace(is_repeat=True)))
        else:
            first.append(one)
        seen |= quoted
    return [*first, *repeats]
