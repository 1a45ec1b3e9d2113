"""The turns that a list of results quotes, by their stored spans, and the share of each turn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from benchmarks.recall.cases import SpokenTurn, WrittenTurn
from benchmarks.recall.returned import WORD, Stretch, find_returned
from providers.tokens import count
from retrieval.types import RecallItem, SourceSpan

WHOLE_UP_TO = 100  # tokens: of a longer turn, a passage of this length or half of the turn is enough


@dataclass(frozen=True)
class TurnPlaces:
    """The turn of each message, and the turns of each chunk of a document, by their characters in the chunk."""

    messages: Mapping[UUID, str] = field(default_factory=dict)
    chunks: Mapping[UUID, Sequence[WrittenTurn]] = field(default_factory=dict)


@dataclass(frozen=True)
class Quoted:
    """A result rests on the characters `start` to `end` of a turn; `text` is the result's text."""

    key: str
    start: int
    end: int
    text: str


def list_quotes(items: Sequence[RecallItem], turns: TurnPlaces) -> list[Quoted]:
    """In the order of the results, then of each result's sources."""
    return [
        quoted
        for item in items
        for source in item.candidate.sources
        for quoted in find_quoted(source, item.text, turns)
    ]


def find_quoted(source: SourceSpan, text: str, turns: TurnPlaces) -> Iterator[Quoted]:
    start, end = source.start or 0, source.end or 0
    if source.message_id and source.message_id in turns.messages:
        yield Quoted(turns.messages[source.message_id], start, end, text)
    for turn in turns.chunks.get(source.chunk_id, ()) if source.chunk_id and not source.message_id else ():
        if start < turn.end and end > turn.start:
            yield Quoted(turn.key, max(start, turn.start) - turn.start, min(end, turn.end) - turn.start, text)


def rank_turns(quotes: Sequence[Quoted]) -> list[str]:
    """Each turn at its first rank."""
    return list(dict.fromkeys(quote.key for quote in quotes))


def find_covered(quotes: Sequence[Quoted], wanted: Sequence[SpokenTurn]) -> set[str]:
    """The wanted turns that the quotes cover sufficiently."""
    return {turn.key for turn in wanted if is_covered(turn.text, [one for one in quotes if one.key == turn.key])}


def is_covered(text: str, quotes: Sequence[Quoted]) -> bool:
    stretches = [one for quote in quotes for one in find_returned(text, quote.start, quote.end, quote.text)]
    whole = count(text)
    if whole <= WHOLE_UP_TO:
        return is_all_there(text, stretches)
    needed = min(WHOLE_UP_TO, whole / 2)
    return any(count(text[start:end]) >= needed for start, end in stretches)


def is_all_there(text: str, stretches: Sequence[Stretch]) -> bool:
    """Whether the stretches cover every word of the text."""
    missing = list(text)
    for start, end in stretches:
        missing[start:end] = [" "] * (end - start)
    return not WORD.search("".join(missing))
