"""The words that units had at `known_at`. The text index holds today's, so what was edited since is ranked here."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice

from banks.models import Bank, Corpus
from banks.text_index.bm25 import DECIMALS, K1, B, RankedText, weigh
from banks.text_index.read import MOST_LEXEMES, CorpusView, read_views
from banks.text_index.texts import count_lexemes
from retrieval.filters.own import list_owners
from retrieval.lookups.reading import read_rows, reading

# The oldest change since then has the text as it was.
EDITED = """
SELECT unit.number, former.text
FROM banks_memoryunit AS unit CROSS JOIN LATERAL (
    SELECT change.before->>'text' AS text FROM banks_unitchange AS change
    WHERE change.tenant_id = $1 AND change.unit_id = unit.id AND change.changed_at > $3 AND change.before ? 'text'
    ORDER BY change.changed_at, change.id LIMIT 1
) AS former
WHERE unit.tenant_id = $1 AND unit.bank_id = $2 AND unit.recorded_at <= $3 AND unit.updated_at > $3
  AND unit.number IS NOT NULL
ORDER BY unit.updated_at, unit.id LIMIT $4
"""
MOST_EDITED = 2_000  # more are taken as they are today: to read so many texts takes as long as a search


def read_former_texts(bank: Bank, known_at: datetime, *, within_seconds: float | None) -> dict[int, str]:
    """By the number that the unit has today."""
    values = (*list_owners(bank), known_at, MOST_EDITED)
    return dict(read_rows(bank.tenant_id, EDITED, values, within_seconds=within_seconds))


def rank_as_known(
    bank: Bank,
    ranked: Sequence[RankedText],
    former: Mapping[int, str],
    lexemes: Sequence[str],
    *,
    within_seconds: float | None,
) -> list[RankedText]:
    """`ranked` by today's words; those that had others then stand where these put them, or not at all."""
    repeats = dict(islice(Counter(lexemes).items(), MOST_LEXEMES))
    with reading(bank.tenant_id, within_seconds=within_seconds):
        views = read_views(bank, [Corpus.UNIT], list(repeats))
    view = views.get(Corpus.UNIT, CorpusView())
    weights = {
        lexeme: weigh(times, texts=view.texts, holders=view.holders[lexeme].live) for lexeme, times in repeats.items()
    }
    average_length = view.words / view.texts if view.words else 1.0
    scored = [RankedText(number, score(text, weights, average_length)) for number, text in former.items()]
    kept = [text for text in ranked if text.number not in former] + [text for text in scored if text.score > 0]
    return sorted(kept, key=lambda text: (-text.score, text.number))


def score(text: str, weights: Mapping[str, float], average_length: float) -> float:
    """BM25 as the index has it (`banks.text_index.bm25`), for a text that is no longer in it."""
    frequencies = count_lexemes(text)
    norm = K1 * (1 - B + B / average_length * frequencies.total())
    parts = [weight * frequencies[one] / (frequencies[one] + norm) for one, weight in weights.items()]
    return round(sum(parts), DECIMALS)
