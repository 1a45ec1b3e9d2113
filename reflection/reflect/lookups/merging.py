from collections.abc import Iterable, Sequence
from itertools import chain

from reflection.reflect.lookups.gathered import Gathered
from retrieval.ranking.fusion import Key
from retrieval.ranking.rrf import add_up_places
from retrieval.types import RecallItem


def merge(lists: Sequence[Sequence[RecallItem]], *, max_tokens: int) -> list[RecallItem]:
    """Several recalls as one within a budget: RRF of their orders, what more than one of them found before the rest."""
    items: dict[Key, RecallItem] = {}
    for item in chain.from_iterable(lists):
        items.setdefault(get_key(item), item)
    sums = add_up_places([map(get_key, one) for one in lists])
    return fit((items[key] for key in sorted(sums, key=lambda key: -sums[key])), max_tokens)


def get_key(item: RecallItem) -> Key:
    return item.candidate.kind, item.candidate.id


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
