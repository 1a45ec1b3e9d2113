"""The keyword channel: units by BM25 (formula 11)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from banks.models import Corpus
from banks.text_index.bm25 import RankedText
from retrieval.types import Hit

RankedWords = Mapping[Corpus, Sequence[RankedText]]


def search_keyword(ranked: Sequence[RankedText], visible: Mapping[int, UUID], most: int) -> list[Hit]:
    """`visible` are the ids of the units that may be shown, by their number in the text index."""
    hits = [Hit("unit", visible[text.number], text.score) for text in ranked if text.number in visible]
    return hits[:most]
