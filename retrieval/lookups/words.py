from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banks.models import Bank, Corpus
from banks.text_index.bm25 import RankedText
from banks.text_index.read import rank_texts
from retrieval.limits import Limits
from retrieval.lookups.reading import reading

RankedWords = Mapping[Corpus, Sequence[RankedText]]


@dataclass(frozen=True)
class AskedWords:
    """`with_retired`: superseded texts too, which only a search of the past may see."""

    lexemes: Sequence[str]
    limits: Limits
    with_retired: bool


def rank_by_words(bank: Bank, asked: AskedWords) -> RankedWords:
    """The best texts of each corpus by BM25, under their numbers. The index knows no filters and no moment."""
    if not asked.lexemes:
        return {}
    with reading(bank.tenant_id, within_seconds=asked.limits.seconds):
        return rank_texts(bank, asked.limits.word_ranks, asked.lexemes, with_retired=asked.with_retired)
