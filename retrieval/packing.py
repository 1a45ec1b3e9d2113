from collections.abc import Sequence
from dataclasses import dataclass

from providers import tokens
from retrieval.passages.finder import PassageFinder
from retrieval.recipes import Passages
from retrieval.token_counts import TOKEN_COUNTS, TokenCounts
from retrieval.types import Ranked, RecallItem


@dataclass(frozen=True)
class Packed:
    """`left` are the results, in order, that the token budget cut."""

    items: tuple[RecallItem, ...]
    tokens: int
    left: tuple[Ranked, ...]


def pack(ranked: Sequence[Ranked], *, max_tokens: int, query: str = "", counts: TokenCounts = TOKEN_COUNTS) -> Packed:
    """As many as fit, in order, up to the first that does not (formula 17); the very first is cut to fit.

    What is left of it is the passage that matters for the query. The tokens of what is returned never exceed
    `max_tokens`.
    """
    items: list[RecallItem] = []
    spent = 0
    for one in ranked:
        counted = counts.count(one.text)
        if max_tokens <= 0 or spent + counted > max_tokens:
            break
        items.append(build_item(one, counted))
        spent += counted
    if ranked and not items:
        items = cut_to_fit(ranked[0], max_tokens, query)
    return Packed(tuple(items), sum(item.tokens for item in items), tuple(ranked[len(items) :]))


def cut_to_fit(first: Ranked, max_tokens: int, query: str) -> list[RecallItem]:
    """Empty where not even the first character fits."""
    if max_tokens <= 0 or not first.text:
        return []
    found = PassageFinder(query, Passages(whole=0, most=max_tokens)).find(first.text)
    at, text = (found.start, found.text) if found.text else (0, tokens.truncate(first.text, max_tokens))
    if not text:
        return []
    start = at + (first.passage[0] if first.passage else 0)
    return [build_item(first, tokens.count(text), text=text, passage=(start, start + len(text)))]


def build_item(
    ranked: Ranked, counted: int, *, text: str | None = None, passage: tuple[int, int] | None = None
) -> RecallItem:
    return RecallItem(
        candidate=ranked.candidate,
        text=ranked.text if text is None else text,
        tokens=counted,
        scores=ranked.scores,
        bank_id=ranked.bank_id,
        passage=passage or ranked.passage,
    )
