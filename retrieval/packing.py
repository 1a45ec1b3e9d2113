"""Packing: the results that fit into the token budget (formula 17)."""

from collections.abc import Sequence
from dataclasses import dataclass

from providers import tokens
from providers.tokens import TOKEN_COUNTS, TokenCounts
from retrieval.passages import PassageFinder
from retrieval.plan import Passages
from retrieval.query.language import DEFAULT
from retrieval.types import Ranked, RecallItem


@dataclass(frozen=True)
class Packed:
    """`left` are the results, in order, that did not fit."""

    items: tuple[RecallItem, ...]
    tokens: int
    left: tuple[Ranked, ...]


def pack(
    ranked: Sequence[Ranked],
    *,
    max_tokens: int,
    query: str = "",
    language: str = DEFAULT,
    counts: TokenCounts = TOKEN_COUNTS,
) -> Packed:
    """As many as fit, in order, up to the first that does not. The very first is cut to its best passage.

    The tokens of the items never exceed `max_tokens`.
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
        items = cut_to_fit(ranked[0], max_tokens, query, language)
    return Packed(tuple(items), sum(item.tokens for item in items), tuple(ranked[len(items) :]))


def cut_to_fit(first: Ranked, max_tokens: int, query: str, language: str) -> list[RecallItem]:
    """Empty if not even the first character fits."""
    if max_tokens <= 0 or not first.text:
        return []
    found = PassageFinder(query, Passages(whole=0, most=max_tokens), language).find(first.text)
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
