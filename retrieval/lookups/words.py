from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from banks.models import Bank, Corpus
from banks.text_index.bm25 import RankedText
from banks.text_index.read import rank_texts
from retrieval.lookups.former_words import rank_as_known, read_former_texts
from retrieval.lookups.reading import reading

RankedWords = Mapping[Corpus, Sequence[RankedText]]


@dataclass(frozen=True)
class AskedWords:
    """`limits`: the most texts of each corpus. `with_retired`: superseded ones too, which only the past may see.

    `known_at`: units are searched by the words that they had then.
    """

    lexemes: Sequence[str]
    limits: Mapping[Corpus, int]
    with_retired: bool
    within_seconds: float | None
    known_at: datetime | None = None


def rank_by_words(bank: Bank, asked: AskedWords) -> RankedWords:
    """The best texts of each corpus by BM25, under their numbers. The index knows no filters and no moment."""
    if not asked.lexemes or not asked.limits:
        return {}
    with reading(bank.tenant_id, within_seconds=asked.within_seconds):
        ranked = rank_texts(bank, asked.limits, asked.lexemes, with_retired=asked.with_retired)
    if asked.known_at is None or Corpus.UNIT not in asked.limits:
        return ranked
    return {**ranked, Corpus.UNIT: take_back(bank, ranked[Corpus.UNIT], asked, asked.known_at)}


def take_back(bank: Bank, ranked: Sequence[RankedText], asked: AskedWords, known_at: datetime) -> Sequence[RankedText]:
    """What was edited since `known_at` has its former words."""
    former = read_former_texts(bank, known_at, within_seconds=asked.within_seconds)
    if not former:
        return ranked
    known = rank_as_known(bank, ranked, former, asked.lexemes, within_seconds=asked.within_seconds)
    return known[: asked.limits[Corpus.UNIT]]
