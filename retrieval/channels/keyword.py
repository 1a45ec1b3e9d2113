from banks.models import Corpus
from retrieval.channels.search import Search
from retrieval.types import Hit


def search_keyword(search: Search) -> list[Hit]:
    """Units by BM25 (formula 11), in the order of the text index, without those that may not be shown."""
    visible = search.lookups.visible_units()
    ranked = search.lookups.words().get(Corpus.UNIT, ())
    hits = [Hit("unit", visible[text.number], text.score) for text in ranked if text.number in visible]
    return hits[: search.limits.rows]
