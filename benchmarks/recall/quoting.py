"""Which turns a list of results quotes, by their stored spans, and how much of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from benchmarks.recall.cases import SpokenTurn
from providers.tokens import count
from retrieval.types import RecallItem

WHOLE_UP_TO = 100  # tokens: of a longer turn a passage of so many, or half of it, is enough

TurnKeys = Mapping[UUID, str]  # message to turn


@dataclass(frozen=True)
class Quoted:
    """Characters `start` to `end` of a turn; `tokens` of them at most came back, in one piece."""

    key: str
    start: int
    end: int
    tokens: int


def list_quotes(items: Sequence[RecallItem], turns: TurnKeys) -> list[Quoted]:
    """In the order of the results and, within one, of its sources."""
    return [
        Quoted(turns[source.message_id], source.start or 0, source.end or 0, item.tokens)
        for item in items
        for source in item.candidate.sources
        if source.message_id is not None and source.message_id in turns
    ]


def rank_turns(quotes: Sequence[Quoted]) -> list[str]:
    """Each turn at its first place."""
    return list(dict.fromkeys(quote.key for quote in quotes))


def find_covered(quotes: Sequence[Quoted], turns: Mapping[str, SpokenTurn]) -> set[str]:
    """The turns of which enough came back."""
    spans: dict[str, list[Quoted]] = {}
    for quote in quotes:
        spans.setdefault(quote.key, []).append(quote)
    return {key for key, own in spans.items() if is_covered(turns[key].text, own)}


def is_covered(text: str, quotes: Sequence[Quoted]) -> bool:
    whole = count(text)
    if whole <= WHOLE_UP_TO:
        return is_all_there(text, quotes)
    needed = min(WHOLE_UP_TO, whole / 2)
    return any(min(count(text[quote.start : quote.end]), quote.tokens) >= needed for quote in quotes)


def is_all_there(text: str, quotes: Sequence[Quoted]) -> bool:
    """But for white space, every character of it."""
    missing = list(text)
    for quote in quotes:
        missing[quote.start : quote.end] = [""] * len(missing[quote.start : quote.end])
    return not "".join(missing).strip()
