from collections.abc import Iterable, Sequence

from reflection.reflect.lookups.gathered import Gathered
from retrieval.recipes import RRF_K
from retrieval.types import RecallItem


def merge(lists: Sequence[Sequence[RecallItem]], *, max_tokens: int) -> list[RecallItem]:
    """Several recalls as one within a budget: RRF of their orders, what more than one of them found before the rest."""
    scores: dict[tuple[str, object], float] = {}
    items: dict[tuple[str, object], RecallItem] = {}
    for one in lists:
        for rank, item in enumerate(one, 1):
            key = (item.candidate.kind, item.candidate.id)
            scores[key] = scores.get(key, 0.0) + 1 / (RRF_K + rank)
            items.setdefault(key, item)
    return fit((items[key] for key in sorted(scores, key=lambda key: -scores[key])), max_tokens)


def fit(items: Iterable[RecallItem], max_tokens: int) -> list[RecallItem]:
    kept: list[RecallItem] = []
    left = max_tokens
    for item in items:
        if item.tokens > left:
            break
        kept.append(item)
        left -= item.tokens
    return kept


def leave_out_known(items: Iterable[RecallItem], gathered: Gathered) -> list[RecallItem]:
    return [item for item in items if not gathered.knows(item.candidate.id)]
