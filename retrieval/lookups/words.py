from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banks.models import Bank, Corpus
from banks.text_index.bm25 import RankedText
from banks.text_index.read import rank_texts
from retrieval.lookups.reading import reading

RankedWords = Mapping[Corpus, Sequence[RankedText]]


@dataclass(frozen=True)
class AskedWords:
    """`limits`: the most texts of each corpus. `with_retired`: superseded ones too, which only the past may see."""

    lexemes: Sequence[str]
    limits: Mapping[Corpus, int]
    with_retired: bool
    within_seconds: float | None


def rank_by_words(bank: Bank, asked: AskedWords) -> RankedWords:
    """The best texts of each corpus by BM25, under their numbers. The index knows no filters and no moment."""
    if not asked.lexemes or not asked.limits:
        return {}
    with reading(bank.tenant_id, within_seconds=asked.within_seconds):
        return rank_texts(bank, asked.limits, asked.lexemes, with_retired=asked.with_retired)
