"""The keyword channel: units by BM25 (formula 11).

The text index ranks the texts of every corpus in one look-up, so the archive channels share it. The index holds today's
texts: under `known_at` the units that were edited since are ranked here, by the words that they had.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from banks.models import Bank, Corpus
from banks.text_index.bm25 import DECIMALS, K1, B, RankedText, weigh
from banks.text_index.read import MOST_LEXEMES, CorpusView, rank_texts, read_views
from banks.text_index.texts import count_lexemes
from retrieval.filters.conditions import list_owners
from retrieval.statements import read_rows, reading
from retrieval.types import Hit

RankedWords = Mapping[Corpus, Sequence[RankedText]]

# The oldest change since then holds the text as it was.
EDITED = """
SELECT unit.number, CASE WHEN unit.speaker <> '' THEN unit.speaker || ': ' || former.text ELSE former.text END
FROM banks_memoryunit AS unit CROSS JOIN LATERAL (
    SELECT change.before->>'text' AS text FROM banks_unitchange AS change
    WHERE change.tenant_id = $1 AND change.unit_id = unit.id AND change.changed_at > $3 AND change.before ? 'text'
    ORDER BY change.changed_at, change.id LIMIT 1
) AS former
WHERE unit.tenant_id = $1 AND unit.bank_id = $2 AND unit.recorded_at <= $3 AND unit.updated_at > $3
  AND unit.number IS NOT NULL
ORDER BY unit.updated_at, unit.id LIMIT $4
"""
MOST_EDITED = 2_000  # further units are ranked by today's words: reading so many texts takes as long as a search


def search_keyword(ranked: Sequence[RankedText], visible: Mapping[int, UUID], most: int) -> list[Hit]:
    """`visible` are the ids of the units that may be shown, by their number in the text index."""
    hits = [Hit("unit", visible[text.number], text.score) for text in ranked if text.number in visible]
    return hits[:most]


@dataclass(frozen=True)
class WordQuery:
    """`limits`: the most texts of each corpus. `with_retired`: superseded texts too."""

    lexemes: Sequence[str]
    limits: Mapping[Corpus, int]
    with_retired: bool
    within_seconds: float | None
    known_at: datetime | None = None


def rank_by_words(bank: Bank, query: WordQuery) -> RankedWords:
    """The best texts of each corpus, by their number in the index, which ignores filters and points in time."""
    if not query.lexemes or not query.limits:
        return {}
    with reading(bank.tenant_id, within_seconds=query.within_seconds):
        ranked = rank_texts(bank, query.limits, query.lexemes, with_retired=query.with_retired)
    if query.known_at is None or Corpus.UNIT not in query.limits:
        return ranked
    return {**ranked, Corpus.UNIT: rank_historical_words(bank, ranked[Corpus.UNIT], query, query.known_at)}


def rank_historical_words(
    bank: Bank, ranked: Sequence[RankedText], query: WordQuery, known_at: datetime
) -> Sequence[RankedText]:
    """`ranked` by today's words; units that were edited since `known_at` stand where their former words put them."""
    values = (*list_owners(bank), known_at, MOST_EDITED)
    former: dict[int, str] = dict(read_rows(bank.tenant_id, EDITED, values, within_seconds=query.within_seconds))
    if not former:
        return ranked
    repeats = dict(islice(Counter(query.lexemes).items(), MOST_LEXEMES))
    with reading(bank.tenant_id, within_seconds=query.within_seconds):
        view = read_views(bank, [Corpus.UNIT], list(repeats)).get(Corpus.UNIT, CorpusView())
    weights = {
        lexeme: weigh(times, texts=view.texts, holders=view.holders[lexeme].live) for lexeme, times in repeats.items()
    }
    average_length = view.words / view.texts if view.words else 1.0
    scored = [RankedText(number, score_text(text, weights, average_length)) for number, text in former.items()]
    kept = [text for text in ranked if text.number not in former] + [text for text in scored if text.score > 0]
    return sorted(kept, key=lambda text: (-text.score, text.number))[: query.limits[Corpus.UNIT]]


def score_text(text: str, weights: Mapping[str, float], average_length: float) -> float:
    """BM25 as in `banks.text_index.bm25`, for a text that is no longer in the index."""
    frequencies = count_lexemes(text)
    norm = K1 * (1 - B + B / average_length * frequencies.total())
    parts = [weight * frequencies[one] / (frequencies[one] + norm) for one, weight in weights.items()]
    return round(sum(parts), DECIMALS)
