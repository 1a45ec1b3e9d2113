from banks.models import Corpus
from retrieval.brought import order_brought
from retrieval.declaration import Declaration
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit


def search_archive_words(lookups: Lookups) -> list[Hit]:
    """Chunks by BM25; the units of one chunk in the order of their own."""
    lookups.check_archive(Corpus.CHUNK)
    resolved = lookups.resolved()
    ranked = lookups.words().get(Corpus.UNIT, ())
    own = {resolved.units[text.number].int: text.score for text in ranked if text.number in resolved.units}
    return order_brought(lookups.sources().chunks_by_words, resolved, own)[: lookups.asked.limits.rows]


ARCHIVE_WORDS = Declaration(
    Channel.ARCHIVE_WORDS, search_archive_words, by_words=frozenset({Corpus.UNIT, Corpus.CHUNK})
)
