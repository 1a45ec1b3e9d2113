from collections.abc import Iterable
from typing import Protocol, TypeVar

from retrieval.token_counts import TOKEN_COUNTS, TokenCounts


class WithText(Protocol):
    @property
    def text(self) -> str: ...


T = TypeVar("T", bound=WithText)


def fit(rows: Iterable[T], max_tokens: int, *, counts: TokenCounts = TOKEN_COUNTS) -> tuple[T, ...]:
    """As many as fit, in order, up to the first that does not: the same rule as for the results."""
    kept: list[T] = []
    spent = 0
    for row in rows:
        spent += counts.count(row.text)
        if spent > max_tokens:
            break
        kept.append(row)
    return tuple(kept)
