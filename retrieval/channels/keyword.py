from banks.models import Corpus
from retrieval.declaration import Declaration
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit


def search_keyword(lookups: Lookups) -> list[Hit]:
    """Units by BM25 (formula 11), in the order of the text index, without those that may not be shown."""
    visible = lookups.visible_units()
    ranked = lookups.words().get(Corpus.UNIT, ())
    hits = [Hit("unit", visible[text.number], text.score) for text in ranked if text.number in visible]
    return hits[: lookups.asked.limits.rows]


KEYWORD = Declaration(Channel.KEYWORD, search_keyword, by_words=frozenset({Corpus.UNIT}))
