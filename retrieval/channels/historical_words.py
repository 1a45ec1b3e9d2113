"""BM25 under `known_at`. The text index holds today's texts, so units that were edited since are ranked by their former
words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from banks.former_values import write_former_values
from banks.models import Bank, Corpus
from banks.text_index.bm25 import DECIMALS, K1, B, RankedText, weigh
from banks.text_index.read import CorpusView, QueryView
from banks.text_index.texts import count_lexemes
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import Scope
from retrieval.statements import read_rows

# The oldest change of the text since then holds the text as it was.
EDITED = """
SELECT unit.number, CASE WHEN unit.speaker <> '' THEN unit.speaker || ': ' || former.text ELSE former.text END
FROM banks_memoryunit AS unit CROSS JOIN LATERAL (
    SELECT change.before->>'text' AS text FROM ({former_values}) AS change WHERE change.before ? 'text'
    ORDER BY change.changed_at, change.id LIMIT 1
) AS former
WHERE unit.tenant_id = $1 AND unit.bank_id = $2 AND unit.recorded_at <= $3 AND unit.updated_at > $3
  AND unit.number IS NOT NULL AND {scope}
ORDER BY unit.updated_at, unit.id LIMIT $4
"""
MOST_EDITED = 2_000  # further units are ranked by today's words: reading so many texts takes as long as a search


@dataclass(frozen=True)
class EditedUnits:
    """The visible units that were edited since `known_at`. `most`: how many ranked texts are wanted in all."""

    scope: Scope
    known_at: datetime
    most: int
    within_seconds: float | None


def rank_historical_words(
    bank: Bank, ranked: Sequence[RankedText], read: QueryView, edited: EditedUnits
) -> Sequence[RankedText]:
    """`ranked` by today's words; units that were edited since `known_at` stand where their former words put them."""
    former = read_former_texts(bank, edited)
    if not former:
        return ranked
    view = read.corpora.get(Corpus.UNIT, CorpusView())
    weights = {
        lexeme: weigh(times, texts=view.texts, holders=view.holders[lexeme].live)
        for lexeme, times in read.repeats.items()
    }
    average_length = view.words / view.texts if view.words else 1.0
    scored = [RankedText(number, score_text(text, weights, average_length)) for number, text in former.items()]
    kept = [text for text in ranked if text.number not in former] + [text for text in scored if text.score > 0]
    return sorted(kept, key=lambda text: (-text.score, text.number))[: edited.most]


def read_former_texts(bank: Bank, edited: EditedUnits) -> dict[int, str]:
    values = (*list_owners(bank), edited.known_at, MOST_EDITED)
    statement = EDITED.format(scope=edited.scope.unit, former_values=write_former_values("$3"))
    return dict(read_rows(bank.tenant_id, statement, values, within_seconds=edited.within_seconds))


def score_text(text: str, weights: Mapping[str, float], average_length: float) -> float:
    """BM25 as in `banks.text_index.bm25`, for a text that is no longer in the index."""
    frequencies = count_lexemes(text)
    norm = K1 * (1 - B + B / average_length * frequencies.total())
    parts = [weight * frequencies[one] / (frequencies[one] + norm) for one, weight in weights.items()]
    return round(sum(parts), DECIMALS)
